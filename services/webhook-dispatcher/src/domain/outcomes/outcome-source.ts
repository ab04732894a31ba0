import { createHash } from 'node:crypto';
import type {
  AccountId,
  CreatorId,
  OutcomeIgnoredReason,
  OutcomeKind,
  OutcomeProvider,
  OutcomeRefusedReason,
  OutcomeSourceId,
} from '@mailproof/shared-types';

/** A mail provider that reports the outcomes of an account's mail. */
export interface OutcomeSource {
  readonly sourceNo: string;
  readonly sourceId: OutcomeSourceId;
  readonly accountId: AccountId;
  readonly createdBy: CreatorId;
  readonly provider: OutcomeProvider;
  readonly description: string | null;
  /** Verifies requests. Null if the source has none, undefined if it can no longer be opened. */
  readonly key: string | null | undefined;
  readonly previousTokenUntil: Date | null;
  readonly subscribedAt: Date | null;
  readonly lastReceivedAt: Date | null;
  readonly recorded: number;
  readonly repeated: number;
  readonly createdAt: Date;
}

/** How often something happened at a source, and when last. */
export type SourceCount = { readonly count: number; readonly lastAt: Date } & (
  | { readonly class: 'kind'; readonly name: OutcomeKind }
  | { readonly class: 'ignored'; readonly name: OutcomeIgnoredReason }
  | { readonly class: 'refused'; readonly name: OutcomeRefusedReason }
);

/** A source with its counts, the most recent first. */
export interface CountedSource extends OutcomeSource {
  readonly counts: readonly SourceCount[];
}

export type NewSource = Pick<
  OutcomeSource,
  'sourceId' | 'accountId' | 'createdBy' | 'provider' | 'description' | 'createdAt'
> & { readonly key: string | null; readonly tokenHash: Uint8Array };

/** The members that a change sets. */
export interface SourceChange {
  readonly description?: string | null | undefined;
  readonly key?: string | null | undefined;
}

/** What became of the events of one request. */
export interface ReceivedCounts {
  readonly recorded: number;
  readonly repeated: number;
  readonly kinds: Readonly<Partial<Record<OutcomeKind, number>>>;
  readonly ignored: Readonly<Partial<Record<OutcomeIgnoredReason, number>>>;
}

export interface SourceStore {
  /** Undefined if the account has `sourcesMax` already. */
  create(source: NewSource, sourcesMax: number): Promise<CountedSource | undefined>;
  /** Newest first. */
  list(accountId: AccountId): Promise<CountedSource[]>;
  findOf(accountId: AccountId, sourceId: OutcomeSourceId): Promise<CountedSource | undefined>;
  /** Undefined if the account has no such source. */
  change(
    accountId: AccountId,
    sourceId: OutcomeSourceId,
    change: SourceChange,
  ): Promise<CountedSource | undefined>;
  /** Replaces the token; the previous one stays valid until then. Undefined if the account has no such source. */
  replaceToken(
    accountId: AccountId,
    sourceId: OutcomeSourceId,
    tokenHash: Uint8Array,
    previousUntil: Date,
  ): Promise<CountedSource | undefined>;
  /** False if the account has no such source. */
  delete(accountId: AccountId, sourceId: OutcomeSourceId): Promise<boolean>;
  /** Deletes the sources of a deleted account; returns how many. */
  deleteOfAccount(accountId: AccountId): Promise<number>;
}

/** What a request of a provider needs of a source. */
export interface ReceivingStore {
  /** The source with this valid token. */
  findByToken(
    tokenHash: Uint8Array,
    now: Date,
  ): Promise<Pick<OutcomeSource, 'sourceId' | 'accountId'> | undefined>;
  find(sourceId: OutcomeSourceId): Promise<OutcomeSource | undefined>;
  countReceived(sourceNo: string, counts: ReceivedCounts, now: Date): Promise<void>;
  countRefused(sourceNo: string, reason: OutcomeRefusedReason, now: Date): Promise<void>;
  noteSubscribed(sourceNo: string, now: Date): Promise<void>;
}

/** What an account does to a source. */
export type SourceAct = 'created' | 'changed' | 'url_replaced' | 'deleted';

/** Only the hash of a token is stored, so that a copy of the database opens no URL. */
export function hashOfToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
