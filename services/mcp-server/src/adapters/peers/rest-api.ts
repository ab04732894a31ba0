import type { OperationClient } from '@mailproof/service-kit';
import { forAssistant, type Operation } from '@mailproof/shared-types';
import { errors } from 'undici';
import type { AskRestApi, RestOutcome, RestRequest } from '../../domain/tools/call-tool.ts';

/** Largest response that is read, in octets; responses to the operations that tools use have a few hundred. */
const answerBytesMax = 262_144;
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
    const { operation, owner, idempotencyKey, body } = request;
    const { status, headers, content } = await gatewayPeer.exchange(
      twinOf(operation),
      { params: owner, body },
      {
        signal,
        bytesMax: answerBytesMax,
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
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
