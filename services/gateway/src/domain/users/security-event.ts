import type { AccountId, SecurityEventKind, UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';

/** Something that happened to the security of an account. Details never hold a secret. */
export interface SecurityEvent {
  readonly accountId: AccountId;
  /** Who did it, or to whom it happened; absent for the operator. */
  readonly userId?: UserId;
  readonly kind: SecurityEventKind;
  readonly at: Date;
  readonly client: Client;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** An event as the owners read it. */
export interface RecordedSecurityEvent extends SecurityEvent {
  readonly securityEventId: number;
}

/** Where security events are written down. */
export interface SecurityEventLog {
  record(event: SecurityEvent): Promise<void>;
  /** Events of an account older than an id, newest first. */
  list(accountId: AccountId, page: { before?: number; limit: number }): Promise<RecordedSecurityEvent[]>;
  /** Deletes what is older than the time for which events are kept. */
  sweep(olderThan: Date): Promise<void>;
}
