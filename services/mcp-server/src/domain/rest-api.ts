import type { Operation } from '@mailproof/shared-types';

/** One request to the public REST interface, with the account's own key. */
export interface RestRequest {
  readonly operation: Operation;
  readonly body?: unknown;
  readonly apiKey: string;
  /** For what can charge: under it the request may be sent a second time without a second charge (ADR 0023). */
  readonly idempotencyKey?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What became of it. */
export type RestOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | undefined>>;
      /** Parsed JSON; nothing where the body was something else. */
      readonly body: unknown;
    }
  /** It is no HTTP, or has no end. */
  | { readonly kind: 'unreadable' }
  /** Nobody answered within the deadline. */
  | { readonly kind: 'timed_out' }
  /** No connection could be made, or it broke off. */
  | { readonly kind: 'unreachable' };

/** Asks the REST interface; has a deadline of its own. */
export type AskRestApi = (request: RestRequest) => Promise<RestOutcome>;
