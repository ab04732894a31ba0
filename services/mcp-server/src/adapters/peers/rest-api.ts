import type { OperationClient } from '@mailproof/service-kit';
import { accountHeader, forAssistant, type Operation, sandboxAccountOf } from '@mailproof/shared-types';
import { errors } from 'undici';
import type { AskRestApi, RestOutcome, RestRequest } from '../../domain/tools/call-tool.ts';

/** Largest response that is read, in octets; the largest one of the operations that tools use is a page of people. */
const answerBytesMax = 1_048_576;
/**
 * Attempts in total. The second follows a broken connection, as happens to idle connections when the gateway restarts.
 */
const attemptsMax = 2;

/** Calls operations of the REST interface at the gateway, for a user's assistant (ADR 0026). */
export function createRestApi(gatewayPeer: OperationClient, deadlineMs: number): AskRestApi {
  const twins = new Map<Operation, Operation>();

  function twinOf(operation: Operation): Operation {
    const twin = twins.get(operation) ?? forAssistant(operation);
    twins.set(operation, twin);
    return twin;
  }

  async function attempt(request: RestRequest, signal: AbortSignal): Promise<RestOutcome> {
    const { operation, owner, params, query, idempotencyKey, inSandbox, body } = request;
    const takesStream = operation.bodyMediaType !== undefined;
    const { status, headers, content } = await gatewayPeer.exchange(
      twinOf(operation),
      {
        params: { ...params, ...owner },
        ...(query && { query }),
        body: takesStream ? Buffer.from(JSON.stringify(body)) : body,
      },
      {
        signal,
        bytesMax: answerBytesMax,
        headers: {
          // Operations that take a file take the same rows as JSON.
          ...(takesStream && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(inSandbox && { [accountHeader.toLowerCase()]: sandboxAccountOf(owner.accountId) }),
        },
      },
    );
    return { kind: 'answered', status, headers: singleHeaders(headers), body: jsonOf(content.toString()) };
  }

  async function attemptTwice(request: RestRequest, signal: AbortSignal): Promise<RestOutcome> {
    // Without this key, a retry of an operation that charges could charge twice.
    const mayRepeat = request.operation.repeatable || request.idempotencyKey !== undefined;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt(request, signal);
      } catch (error) {
        if (signal.aborted || !mayRepeat || isUnreadable(error) || attempts === attemptsMax) {
          throw error;
        }
      }
    }
  }

  return async request => {
    const broken = new AbortController();
    let isLate = false;
    const abortRequest = () => broken.abort();
    // Not `AbortSignal.timeout`, whose timer would outlive a quick call by the whole deadline, nor `AbortSignal.any`,
    // whose weak references V8 keeps until a full garbage collection (ADR 0050).
    const timer = setTimeout(() => {
      isLate = true;
      abortRequest();
    }, deadlineMs);
    if (request.signal.aborted) abortRequest();
    else request.signal.addEventListener('abort', abortRequest, { once: true });
    try {
      return await attemptTwice(request, broken.signal);
    } catch (error) {
      // Errors of undici name hosts and ports; only the kind of fault is needed.
      if (isUnreadable(error)) {
        return { kind: 'unreadable' };
      }
      return { kind: isLate ? 'timed_out' : 'unreachable' };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', abortRequest);
    }
  };
}

/** True for a response that a retry would not change. */
function isUnreadable(error: unknown): boolean {
  return error instanceof errors.ResponseExceededMaxSizeError || error instanceof errors.HTTPParserError;
}

function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
