import { type CompanySize, type CompanyType, limits, type Revenue } from '@mailproof/shared-types';

/** Most companies that one question may name as seeds, and as many again that matches shall be unlike. */
export const seedsMax = limits.seedDomainsMax;

/** Most matches that one answer holds. */
export const matchesMax = 50_000;

/** Most matches of one answer that carry reasons. */
export const explainedMax = 1_000;

/**
 * A candidate below this strength is no match: nine of ten such companies would be from elsewhere. That is what lets
 * a search be complete, or have no matches at all.
 */
export const strengthMin = 0.1;

/** The strengths at which candidates are counted, weakest first; the first one is `strengthMin`. */
export const strengthSteps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** Companies that may be an answer. Every list is an "any of"; one that is absent or empty asks for nothing. */
export interface CandidateFilter {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countries?: readonly string[];
  /** Words of the field `industry`. */
  readonly industries?: readonly string[];
  readonly companySizes?: readonly CompanySize[];
  readonly revenues?: readonly Revenue[];
  readonly companyTypes?: readonly CompanyType[];
  /** Companies that must not be answered, such as those that the account has paid for. Seeds never are. */
  readonly excludedCompanyNos?: readonly number[];
}

export interface LookalikeQuestion {
  /** Companies to look alike, one to `seedsMax`. */
  readonly seeds: readonly number[];
  /** "Less like this": up to `seedsMax`. */
  readonly unlike?: readonly number[];
  readonly candidates?: CandidateFilter;
  /** 0 (only count) to `matchesMax`. */
  readonly limit: number;
  /** Matches to skip; the order is stable as long as `modelNo` of the answers stays. */
  readonly offset?: number;
  /** How many of the answered matches, from the first on, carry reasons: 0 by default, to `explainedMax`. */
  readonly explain?: number;
}

/** A field in which a match is the same as a seed. */
export interface MatchingFacet {
  readonly facet: 'industry' | 'company_size' | 'revenue' | 'company_type' | 'country';
  readonly value: string;
}

/** Why a company matches. */
export interface MatchReasons {
  /** Words that it shares with the seeds, as they are written there, the most telling first; ten at most. */
  readonly sharedTerms: readonly string[];
  readonly matchingFacets: readonly MatchingFacet[];
}

export interface LookalikeMatch {
  readonly companyNo: number;
  /** 0 to 1: of matches as strong as this one, so large a share is of a seed's industry. */
  readonly strength: number;
  /** Null where none were asked for. */
  readonly reasons: MatchReasons | null;
}

/** How many candidates are at or above a strength. */
export interface StrengthCount {
  readonly strengthFrom: number;
  readonly candidates: number;
}

export interface LookalikeAnswer {
  /** Strongest first; equal ones by company_no. */
  readonly matches: readonly LookalikeMatch[];
  /** All matches of the question, whatever limit and offset are. */
  readonly total: number;
  /** One for each of `strengthSteps`: the first says the total again. */
  readonly expected: readonly StrengthCount[];
  /** Seeds and unlike companies that the ranking cannot use: removed, or described in too few words. */
  readonly unusable: readonly number[];
  /** The model that answered. Another number may mean another order. */
  readonly modelNo: number;
}

export type LookalikeStatus =
  /** Fewer companies than a model needs are described in words. */
  | { readonly state: 'too_few_companies'; readonly companies: number; readonly companiesMin: number }
  /** No model answers yet; `done` is the share of the first one that stands. */
  | { readonly state: 'building'; readonly done: number }
  | {
      readonly state: 'ready';
      readonly modelNo: number;
      /** Companies that can be found now. */
      readonly companies: number;
      readonly terms: number;
      readonly dimensions: number;
      readonly builtAt: Date;
      /** Whether strengths were fitted to this store's industries, or are those that the service ships with. */
      readonly calibration: 'fitted' | 'shipped';
      /** The share of the next model that stands; null while none is being built. */
      readonly rebuilding: number | null;
    };

export type LookalikeFaultCode =
  /** No model answers: `status()` says why. */
  | 'not_ready'
  /** None of the seeds can be used. */
  | 'no_usable_seed'
  /** Too many questions wait already. */
  | 'busy'
  /** No answer within the deadline of a question, or the worker was lost twice over it. */
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

/** Finds companies that look like others. Whoever asks reads their rows from the store, and skips what is gone. */
export interface LookalikeRanking {
  /**
   * @throws {LookalikeFault} where there is no answer
   * @throws {RangeError} for a question out of bounds
   */
  rank(question: LookalikeQuestion, signal?: AbortSignal): Promise<LookalikeAnswer>;
  status(): LookalikeStatus;
}
