import type { AccountId, DiscoveryRunId, DiscoverySearchId, UserId } from '@mailproof/shared-types';
import type { CoverageFacts } from './coverage.ts';
import type { SearchQuestion } from './question.ts';

/** A lookalike search as it is kept. */
export interface KeptSearch {
  readonly searchId: DiscoverySearchId;
  readonly name: string;
  readonly question: SearchQuestion;
  readonly isLocked: boolean;
  readonly facts: CoverageFacts;
  readonly activeRunId: DiscoveryRunId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface NewSearch {
  readonly searchId: DiscoverySearchId;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly name: string;
  readonly question: SearchQuestion;
  readonly previewMatches: number;
  readonly now: Date;
}

/** Where a list of searches is read on from: the newest come first. */
export interface SearchPosition {
  readonly createdAt: Date;
  readonly searchId: DiscoverySearchId;
}

/** The lookalike searches of accounts. A search of another account is not found. */
export interface LookalikeSearches {
  create(search: NewSearch): Promise<void>;
  find(accountId: AccountId, searchId: DiscoverySearchId): Promise<KeptSearch | undefined>;
  list(accountId: AccountId, after: SearchPosition | undefined, rowsMax: number): Promise<KeptSearch[]>;
  rename(accountId: AccountId, searchId: DiscoverySearchId, name: string, now: Date): Promise<boolean>;
  /** Asks another question, unless a paid run has started. */
  change(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    change: { readonly question: SearchQuestion; readonly previewMatches: number; readonly now: Date },
  ): Promise<'changed' | 'notFound' | 'locked'>;
  /** Notes how many matches the same question has by now. Of a locked search nothing is noted. */
  notePreview(searchId: DiscoverySearchId, previewMatches: number): Promise<void>;
  /** Its results and runs go with it; what was paid for stays paid. */
  delete(accountId: AccountId, searchId: DiscoverySearchId): Promise<'deleted' | 'notFound' | 'runActive'>;
}
