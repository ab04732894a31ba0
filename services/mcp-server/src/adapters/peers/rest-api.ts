import type { OperationClient } from '@mailproof/service-kit';
import { forAssistant, type Operation } from '@mailproof/shared-types';
import { errors } from 'undici';
import type { AskRestApi, RestOutcome, RestRequest } from '../../domain/rest-api.ts';

/** Largest answer that is read, in octets; those of the operations that tools use have some hundred. */
const answerBytesMax = 262_144;
/** One more when the connection broke, which happens to kept connections when the gateway restarts. */
const attemptsMax = 2;

/** Asks the gateway for operations of the REST interface, in the name of a user's assistant (ADR 0026). */
export function createRestApi(gatewayPeer: OperationClient, deadlineMs: number): AskRestApi {
  const twins = new Map<Operation, Operation>();

  function twinOf(operation: Operation): Operation {
    const twin = twins.get(operation) ?? forAssistant(operation);
    twins.set(operation, twin);
    return twin;
  }

  async function attempt(request: RestRequest, signal: AbortSignal): Promise<RestOutcome> {
    const { operation, owner, idempotencyKey, body } = request;
    const { status, headers, text } = await gatewayPeer.exchange(
      twinOf(operation),
      { params: owner, body },
      {
        signal,
        bytesMax: answerBytesMax,
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      },
    );
    return { kind: 'answered', status, headers: singleHeaders(headers), body: jsonOf(text) };
  }

  async function attemptTwice(request: RestRequest, signal: AbortSignal): Promise<RestOutcome> {
    // Without a key, a second attempt at what charges could charge twice.
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
    const breakOff = () => broken.abort();
    // Not `AbortSignal.timeout`, whose timer would outlive a quick call by the whole deadline, nor `AbortSignal.any`,
    // whose weak references V8 keeps until it looks through the whole heap (ADR 0050).
    const timer = setTimeout(() => {
      isLate = true;
      breakOff();
    }, deadlineMs);
    if (request.signal.aborted) breakOff();
    else request.signal.addEventListener('abort', breakOff, { once: true });
    try {
      return await attemptTwice(request, broken.signal);
    } catch (error) {
      // What undici throws names hosts and ports; which of these it was is all that is needed.
      if (isUnreadable(error)) {
        return { kind: 'unreadable' };
      }
      return { kind: isLate ? 'timed_out' : 'unreachable' };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', breakOff);
    }
  };
}

/** Asking again would get the same. */
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
