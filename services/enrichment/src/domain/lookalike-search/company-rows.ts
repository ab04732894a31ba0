import type { AccountId, CompanyId, CompanySize, DiscoverySearchId, Revenue } from '@mailproof/shared-types';
import type { MatchReasons } from '../lookalike/lookalike-ranking.ts';

/** A company of the store, with all that an account can see of it. */
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
  /** Whether the account that asks has paid for it. */
  readonly isPaid: boolean;
}

/** A company that a paid run delivered, with what the ranking said of it. */
export interface DeliveredCompany extends CompanyRow {
  readonly rank: number;
  readonly strength: number;
  readonly reasons: MatchReasons;
}

/** The first companies of a ranking, up to and with the last one that a run of some size would charge for. */
export interface CountedRun {
  /** What the run was asked for, in companies that would be charged for. */
  readonly companies: number;
  /** Companies among them that cost nothing, because the account has paid for them. */
  readonly alreadyPaid: number;
  /** Of how many of all of these each paid field is known. */
  readonly filled: {
    readonly location: number;
    readonly employeeCount: number;
    readonly revenue: number;
    readonly funding: number;
    readonly categories: number;
    readonly links: number;
  };
}

/** Where the delivered companies of a search are read on from. */
export interface DeliveredPosition {
  readonly rank: number;
  readonly companyNo: number;
}

/** Reads companies as lookalike searches need them. What is gone from the store is absent everywhere. */
export interface CompanyRows {
  /** By registrable domain. */
  byDomains(
    domains: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly companyNo: number; readonly name: string }>>;
  /** In the order of the numbers. */
  read(accountId: AccountId, companyNos: readonly number[]): Promise<CompanyRow[]>;
  /**
   * Counts, for runs of each size, what they would deliver of companies in this order. A size that they do not reach is
   * answered with as many as there are.
   */
  count(accountId: AccountId, companyNos: readonly number[], sizes: readonly number[]): Promise<CountedRun[]>;
  /** All that the runs of a search have delivered. */
  deliveredNos(searchId: DiscoverySearchId): Promise<number[]>;
  /** In the order of the ranking. */
  readDelivered(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    after: DeliveredPosition | undefined,
    rowsMax: number,
  ): Promise<DeliveredCompany[]>;
}
