import type { Deadline } from '../concurrency/deadline.ts';

export interface WebRequest {
  /** A lower-case name in A-labels, for which the certificate must be valid. */
  readonly host: string;
  /** Path and query, escaped. */
  readonly path: string;
  readonly accept: string;
  /** A longer body is a failure; if left out, the client's own limit applies. */
  readonly octetsMax?: number;
}

export type WebOutcome =
  | {
      readonly kind: 'response';
      readonly status: number;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string | undefined>>;
      /** As it was sent: not decompressed. */
      readonly body: Uint8Array;
    }
  /** DNS says that the host does not exist or has no address. */
  | { readonly kind: 'no_such_host' }
  /** No usable answer: no connection, no valid certificate, too slow, too long. */
  | { readonly kind: 'failure' };

/**
 * Reads over HTTPS, with verified certificates only, from addresses that the guard allows only, and without redirects.
 * Keeps every deadline and never rejects.
 */
export interface WebClient {
  get(request: WebRequest, deadline: Deadline): Promise<WebOutcome>;
}
