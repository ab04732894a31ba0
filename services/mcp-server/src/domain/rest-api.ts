import type { AccountId, Operation, UserId } from '@mailproof/shared-types';

/** One request for an operation of the REST interface, by a user's assistant instead of an API key. */
export interface RestRequest {
  readonly operation: Operation;
  readonly owner: { readonly accountId: AccountId; readonly userId: UserId };
  readonly body?: unknown;
  /** For what can charge: under it the request may be sent a second time without a second charge (ADR 0023). */
  readonly idempotencyKey?: string;
  /** Aborted when the client no longer waits for the answer. */
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
  /** No answer came within the deadline. */
  | { readonly kind: 'timed_out' }
  /** No connection could be made, or it broke off. */
  | { readonly kind: 'unreachable' };

/** Calls an operation of the REST interface; has a deadline of its own. */
export type AskRestApi = (request: RestRequest) => Promise<RestOutcome>;
