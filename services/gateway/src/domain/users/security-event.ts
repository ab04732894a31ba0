import type { AccountId, SecurityEventKind, UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';

/** An event that affects the security of an account. Details never hold a secret. */
export interface SecurityEvent {
  readonly accountId: AccountId;
  /** The user who did it, or whom it affected; absent for the operator. */
  readonly userId?: UserId;
  readonly kind: SecurityEventKind;
  readonly at: Date;
  readonly client: Client;
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

/** An event as shown to the owners. */
export interface RecordedSecurityEvent extends SecurityEvent {
  readonly securityEventId: number;
}

/** Records security events. */
export interface SecurityEventLog {
  record(event: SecurityEvent): Promise<void>;
  /** Events of an account older than an id, newest first. */
  list(accountId: AccountId, page: { before?: number; limit: number }): Promise<RecordedSecurityEvent[]>;
  /** Deletes events older than the given time. */
  sweep(olderThan: Date): Promise<void>;
}
