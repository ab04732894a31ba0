import { errors, Pool } from 'undici';
import type { AskRestApi, RestOutcome, RestRequest } from '../../domain/rest-api.ts';

/** Largest answer that is read, in octets; those of the REST interface that tools use have some hundred. */
const answerBytesMax = 262_144;
/** One more when the connection broke, which happens to kept connections when the gateway is started anew. */
const attemptsMax = 2;

export interface RestApi {
  readonly ask: AskRestApi;
  close(): Promise<void>;
}

/** Asks the gateway's public REST interface over a pool of kept connections. */
export function createRestApi(options: { readonly baseUrl: string; readonly deadlineMs: number }): RestApi {
  const pool = new Pool(options.baseUrl, {
    connections: 64,
    keepAliveTimeout: 30_000,
    connect: { timeout: 3_000 },
    maxResponseSize: answerBytesMax,
  });

  async function attempt(request: RestRequest, signal: AbortSignal): Promise<RestOutcome> {
    const { operation, apiKey, idempotencyKey, body } = request;
    const response = await pool.request({
      method: operation.method === 'get' ? 'GET' : 'POST',
      path: operation.path,
      headers: {
        accept: 'application/json',
        'x-api-key': apiKey,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    const text = await response.body.text();
    return {
      kind: 'answered',
      status: response.statusCode,
      headers: singleHeaders(response.headers),
      body: jsonOf(text),
    };
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

  return {
    async ask(request) {
      // Not `AbortSignal.timeout`, whose timer would outlive a quick call by the whole deadline.
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), options.deadlineMs);
      try {
        return await attemptTwice(request, AbortSignal.any([deadline.signal, request.signal]));
      } catch (error) {
        // What undici throws names hosts and ports; which of these it was is all that anybody needs.
        if (isUnreadable(error)) {
          return { kind: 'unreadable' };
        }
        return { kind: deadline.signal.aborted ? 'timed_out' : 'unreachable' };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => pool.close(),
  };
}

/** Asking again would get the same. */
function isUnreadable(error: unknown): boolean {
  return error instanceof errors.ResponseExceededMaxSizeError || error instanceof errors.HTTPParserError;
}

function singleHeaders(headers: Record<string, string | string[] | undefined>) {
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
