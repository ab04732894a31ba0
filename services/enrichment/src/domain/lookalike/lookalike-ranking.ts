import type { AccountId, CompanySize, CompanyType, Revenue } from '@mailproof/shared-types';
import { limits } from '@mailproof/shared-types/limits';

/** With fewer described companies, nearness in the space of a model would be meaningless. */
export const companiesMin = 50;

/** The maximum number of seeds in one question, and also of companies that matches must be unlike. */
export const seedsMax = limits.seedDomainsMax;

/** The maximum number of described seeds in one question. */
export const describedMax = limits.seedPagesMax + 1;

/** The maximum number of matches in one answer. */
export const matchesMax = 50_000;

/** The maximum number of matches with reasons in one answer. */
export const explainedMax = 1_000;

/**
 * A candidate below this strength is not a match: nine of ten such companies would be from another industry. Without
 * this limit no search could be complete or have no matches.
 */
export const strengthMin = 0.1;

/** The strengths at which candidates are counted, in ascending order; the first one is `strengthMin`. */
export const strengthSteps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** Restricts which companies can match. Each list means "any of"; an absent or empty list does not restrict. */
export interface CandidateFilter {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countries?: readonly string[];
  /** Values of the field `industry`. */
  readonly industries?: readonly string[];
  readonly companySizes?: readonly CompanySize[];
  readonly revenues?: readonly Revenue[];
  readonly companyTypes?: readonly CompanyType[];
  /** Companies to exclude, such as those that the account has paid for. Seeds are always excluded. */
  readonly excludedCompanyNos?: readonly number[];
}

/** The words of a description: each stem with its weight, without order. */
export type SeedWords = Readonly<Record<string, number>>;

/** A question has at least one seed, either a company or a description. */
export interface LookalikeQuestion {
  /** The companies to resemble, up to `seedsMax`. */
  readonly seeds: readonly number[];
  /** Descriptions to resemble, up to `describedMax`; each counts like a company. */
  readonly described?: readonly SeedWords[];
  /** "Less like this": up to `seedsMax`. */
  readonly unlike?: readonly number[];
  readonly candidates?: CandidateFilter;
  /** 0 (only count) to `matchesMax`. */
  readonly limit: number;
  /** Matches to skip; the order is stable as long as the `modelNo` of the answers is the same. */
  readonly offset?: number;
  /** How many of the returned matches, starting from the first, carry reasons: 0 (default) to `explainedMax`. */
  readonly explain?: number;
}

/** A field whose value a match shares with a seed. */
export interface MatchingFacet {
  readonly facet: 'industry' | 'company_size' | 'revenue' | 'company_type' | 'country';
  readonly value: string;
}

/** Why a company matches. */
export interface MatchReasons {
  /** Words shared with the seeds, spelled as in the seeds, most significant first; at most ten. */
  readonly sharedTerms: readonly string[];
  readonly matchingFacets: readonly MatchingFacet[];
}

export interface LookalikeMatch {
  readonly companyNo: number;
  /** 0 to 1: the share of matches this strong that are in a seed's industry. */
  readonly strength: number;
  /** Null if no reasons were requested. */
  readonly reasons: MatchReasons | null;
}

/** The number of candidates at or above a strength. */
export interface StrengthCount {
  readonly strengthFrom: number;
  readonly candidates: number;
}

/** Why a seed cannot be compared. */
export type UnusableReason =
  /** It has too few words. */
  | 'too_little_text'
  /** The model knows too few of its words. */
  | 'other_language'
  /** The same, and the company is newer than the model, so the next one may know them. */
  | 'not_indexed';

export interface LookalikeAnswer {
  /** Strongest first; ties are ordered by company_no. */
  readonly matches: readonly LookalikeMatch[];
  /** The total number of matches, regardless of limit and offset. */
  readonly total: number;
  /** One for each of `strengthSteps`; the first repeats the total. */
  readonly expected: readonly StrengthCount[];
  /** Seeds and unlike companies that the ranking cannot use. Without a usable seed there are no matches. */
  readonly unusable: ReadonlyMap<number, UnusableReason>;
  /** For each description of the question, why it cannot be used; null if it is used. */
  readonly unusableDescribed: readonly (UnusableReason | null)[];
  /** The time until the next model is ready, in milliseconds; null if none is due. */
  readonly nextModelMs: number | null;
  /** The model that answered. The order can differ between models. */
  readonly modelNo: number;
}

/** Says how long something takes, in whole minutes. */
export function aboutMinutes(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

export type LookalikeStatus =
  /** Fewer companies have a description than a model needs. */
  | { readonly state: 'too_few_companies'; readonly companies: number; readonly companiesMin: number }
  /** No model is ready yet; `done` is the completed fraction of the first one. */
  | { readonly state: 'building'; readonly done: number }
  | {
      readonly state: 'ready';
      readonly modelNo: number;
      /** The number of companies that can be found now. */
      readonly companies: number;
      readonly terms: number;
      readonly dimensions: number;
      readonly builtAt: Date;
      /** Whether strengths were fitted to this store's industries or come with the service. */
      readonly calibration: 'fitted' | 'shipped';
      /** The completed fraction of the next model; null while none is being built. */
      readonly rebuilding: number | null;
    };

export type LookalikeFaultCode =
  /** No model is ready; `status()` says why. */
  | 'not_ready'
  /** Too many questions are already queued. */
  | 'busy'
  /** The question exceeded its deadline, or the worker was lost twice while answering it. */
  | 'no_answer';

/** Why a question has no answer. */
export class LookalikeFault extends Error {
  readonly code: LookalikeFaultCode;

  constructor(code: LookalikeFaultCode, message: string) {
    super(message);
    this.name = 'LookalikeFault';
    this.code = code;
  }
}

/** Finds companies that look like others. The caller reads their rows from the store and skips those that are gone. */
export interface LookalikeRanking {
  /**
   * @throws {LookalikeFault} if the question cannot be answered
   * @throws {RangeError} if the question is out of bounds
   */
  rank(question: LookalikeQuestion, signal?: AbortSignal): Promise<LookalikeAnswer>;
  status(): LookalikeStatus;
}

/** Chooses the ranking for an account: that of the store, or that of the sandbox. */
export type RankingOfAccount = (accountId: AccountId) => Pick<LookalikeRanking, 'rank'>;
