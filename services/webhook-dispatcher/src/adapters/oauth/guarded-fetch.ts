import { type Outside, OutsideFault } from '@mailproof/service-kit';
import { OAuthFault } from '../../domain/crm/connections/crm-oauth.ts';

/**
 * The transports to providers: TLS for public addresses, and TLS or plain HTTP for addresses that the operator allows.
 */
export interface CrmWays {
  readonly https: Outside;
  readonly http: Outside;
}

/** Like `fetch`, but through the guard. */
export type GuardedFetch = (url: string | URL, init: GuardedRequest) => Promise<Response>;

export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const deadlineMs = 10_000;
const bytesMax = 65_536;
/** Statuses without a response body (Fetch standard). */
const withoutBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Creates a `fetch` for external hosts with guarded addresses, a deadline, a size limit, no redirects, and no tracing.
 * Throws `OAuthFault` `away` if there is no answer.
 */
export function createGuardedFetch(ways: CrmWays, userAgent: string): GuardedFetch {
  return async (address, { method = 'GET', headers, body, signal }) => {
    const url = new URL(address);
    const way = url.protocol === 'https:' ? ways.https : ways.http;
    try {
      const answer = await way.request({
        url,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { 'user-agent': userAgent, ...headers },
        ...(body !== undefined && body !== null && { body: String(body) }),
        deadlineMs,
        bytesMax,
        signal,
      });
      const { 'content-encoding': _decoded, 'content-length': _length, ...kept } = answer.headers;
      return new Response(withoutBody.has(answer.status) ? null : new Uint8Array(answer.body), {
        status: answer.status,
        headers: kept,
      });
    } catch (error) {
      if (error instanceof OutsideFault) {
        throw new OAuthFault('away', error.kind);
      }
      if (signal?.aborted) {
        throw new OAuthFault('away', 'too_late');
      }
      throw error;
    }
  };
}
