import type { MatchingFacet, MatchReasons } from '../../domain/lookalike/lookalike-ranking.ts';

/** Reasons as `lookalike_result` keeps them. */
export interface KeptReasons {
  readonly shared_terms: readonly string[];
  readonly matching_facets: readonly MatchingFacet[];
}

export function keepReasons(reasons: MatchReasons | null): KeptReasons {
  return {
    shared_terms: reasons?.sharedTerms ?? [],
    matching_facets: reasons?.matchingFacets ?? [],
  };
}

export function readReasons(kept: KeptReasons): MatchReasons {
  return { sharedTerms: kept.shared_terms, matchingFacets: kept.matching_facets };
}
