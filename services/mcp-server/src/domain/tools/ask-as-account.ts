import { assistantRefusals, type Operation } from '@mailproof/shared-types';
import type { FetchAccountKey } from '../account-key.ts';
import type { AskRestApi } from '../rest-api.ts';
import { failureOfAnswer } from './failure-of-answer.ts';
import type { AskAsAccount, ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure } from './tool-failure.ts';

/** An answer of the REST interface. */
export interface RestAnswer {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

export interface AskingPorts {
  readonly fetchAccountKey: FetchAccountKey;
  readonly askRestApi: AskRestApi;
}

/**
 * Asks the REST interface for one caller. The API key is fetched and opened for this one request: it lives as long as
 * the call of this function, and an account whose plan lapsed a moment ago is refused.
 */
export function askAsAccount(
  { fetchAccountKey, askRestApi }: AskingPorts,
  caller: ToolCaller,
  signal: AbortSignal,
): AskAsAccount {
  return async (operation, body) => {
    const key = await fetchAccountKey(caller, signal);
    if (key.kind === 'refused') {
      throw new ToolFailure(401, assistantRefusals[key.reason]);
    }
    if (key.kind === 'away') {
      throw ownFailure(503);
    }
    const outcome = await askRestApi({
      operation,
      apiKey: key.apiKey,
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
