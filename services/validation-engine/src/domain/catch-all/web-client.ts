import type { Deadline } from '../deadline.ts';

export interface WebRequest {
  /** A lower-case name in A-labels, which the certificate must bear. */
  readonly host: string;
  /** Path and query, escaped. */
  readonly path: string;
  readonly accept: string;
}

export type WebOutcome =
  | { readonly kind: 'response'; readonly status: number; readonly body: Uint8Array }
  /** DNS says that the host does not exist or has no address. */
  | { readonly kind: 'no_such_host' }
  /** No answer that counts: no connection, no valid certificate, too slow, too long. */
  | { readonly kind: 'failure' };

/**
 * Reads over HTTPS: verified certificates only, addresses that the guard lets through only, and no redirects.
 * Keeps every deadline and never rejects.
 */
export interface WebClient {
  get(request: WebRequest, deadline: Deadline): Promise<WebOutcome>;
}
