import { isStoreAway, Problem } from '@mailproof/service-kit';
import { LookalikeFault } from '../domain/lookalike/lookalike-ranking.ts';
import { PeopleIndexUnavailable } from '../domain/people-search/people-index.ts';

/** Whether something that a run needs is away, so that waiting for it makes sense. */
export function isAway(error: unknown): boolean {
  return (
    (error instanceof Problem && error.code === 'service_unavailable') ||
    error instanceof PeopleIndexUnavailable ||
    error instanceof LookalikeFault ||
    isStoreAway(error)
  );
}
