import type { Operation } from '@mailproof/shared-types';
import type { AskRestApi } from '../rest-api.ts';
import { failureOfAnswer } from './failure-of-answer.ts';
import type { AskAsAccount, ToolCaller } from './tool.ts';
import { ownFailure } from './tool-failure.ts';

/** An answer of the REST interface. */
export interface RestAnswer {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/**
 * Calls operations of the REST interface for one caller. The gateway looks up plan, key and membership for each
 * request, so an account whose plan lapsed a moment ago is refused.
 */
export function askAsAccount(
  askRestApi: AskRestApi,
  { accountId, userId }: ToolCaller,
  signal: AbortSignal,
): AskAsAccount {
  return async (operation, body) => {
    const outcome = await askRestApi({
      operation,
      owner: { accountId, userId },
      signal,
      ...(body !== undefined && { body }),
      // One for each call, so that sending it again after a broken connection cannot charge twice.
      ...(operation.takesIdempotencyKey && { idempotencyKey: crypto.randomUUID() }),
    });
    switch (outcome.kind) {
      case 'unreadable':
        throw ownFailure(502);
      case 'timed_out':
        throw ownFailure(504);
      case 'unreachable':
        throw ownFailure(503);
      case 'answered':
        if (outcome.status !== operation.success.status) {
          throw failureOfAnswer(outcome);
        }
        return { operation, status: outcome.status, headers: outcome.headers, body: outcome.body };
    }
  };
}
