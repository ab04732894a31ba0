import type {
  AccountId,
  CompanyId,
  CompanySize,
  DiscoverySearchId,
  Revenue,
  SavedListId,
} from '@mailproof/shared-types';
import type { MatchReasons } from '../lookalike/lookalike-ranking.ts';

/** A company in the store, with everything that an account can see of it. */
export interface CompanyRow {
  readonly companyNo: number;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly domain: string | null;
  readonly industry: string | null;
  readonly website: string | null;
  readonly description: string | null;
  readonly keywords: readonly string[];
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly employeeCount: number | null;
  readonly companySize: CompanySize | null;
  readonly annualRevenueUsd: number | null;
  readonly revenue: Revenue | null;
  readonly fundingUsd: number | null;
  readonly categories: readonly string[];
  readonly profileUrl: string | null;
  readonly isSynthetic: boolean;
  /** Whether the requesting account has paid for it. */
  readonly isPaid: boolean;
}

/** A company that a paid run delivered, with its rank and strength. */
export interface DeliveredCompany extends CompanyRow {
  readonly rank: number;
  readonly strength: number;
  readonly reasons: MatchReasons;
}

/** The first companies of a ranking, up to and including the last one that a run of a given size would charge for. */
export interface CountedRun {
  /** The requested size of the run, in companies that would be charged for. */
  readonly companies: number;
  /** The number of these that are free because the account has paid for them already. */
  readonly alreadyPaid: number;
  /** For each paid field, the number of these companies with a known value. */
  readonly filled: {
    readonly location: number;
    readonly employeeCount: number;
    readonly revenue: number;
    readonly funding: number;
    readonly categories: number;
    readonly links: number;
  };
}

/** A company that users can try a search with. */
export interface ExampleSeed {
  readonly domain: string;
  readonly name: string;
}

/** Where the next page of a search's delivered companies begins. */
export interface DeliveredPosition {
  readonly rank: number;
  readonly companyNo: number;
}

/** Reads companies for lookalike searches. Companies removed from the store are omitted everywhere. */
export interface CompanyRows {
  /** Looks up companies by registrable domain. */
  byDomains(
    domains: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly companyNo: number; readonly name: string }>>;
  /** Returns a few companies of one industry that a search can name as its seeds. */
  examples(rowsMax: number): Promise<ExampleSeed[]>;
  /** Returns companies in the order of `companyNos`. */
  read(accountId: AccountId, companyNos: readonly number[]): Promise<CompanyRow[]>;
  /**
   * Counts, for runs of each size, what they would deliver from companies in this order. If there are too few companies
   * for a size, the result has as many as exist.
   */
  count(accountId: AccountId, companyNos: readonly number[], sizes: readonly number[]): Promise<CountedRun[]>;
  /**
   * Returns the companies of an account's lists of companies, by their own entries or by domain; a list that it does not
   * have is missing from the result.
   */
  listedNos(
    accountId: AccountId,
    listIds: readonly SavedListId[],
  ): Promise<ReadonlyMap<SavedListId, readonly number[]>>;
  /** Returns all companies that the runs of a search have delivered. */
  deliveredNos(searchId: DiscoverySearchId): Promise<number[]>;
  /** Returns delivered companies in the order of the ranking. */
  readDelivered(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    after: DeliveredPosition | undefined,
    rowsMax: number,
  ): Promise<DeliveredCompany[]>;
}
