import { Problem, writeCursor } from '@mailproof/service-kit';
import { limits, type PeopleSearch, type PreviewedPeopleSearch, prices } from '@mailproof/shared-types';
import type { Previewed, PreviewOutcome } from '../domain/discovery/people-search.ts';
import type { StoredPeopleSearch } from '../domain/discovery/people-search-store.ts';

/** A people search as a list shows it. */
export function searchAnswer(search: StoredPeopleSearch): PeopleSearch {
  return {
    search_id: search.searchId,
    name: search.name,
    filters: search.filters,
    state: search.state,
    has_more: search.hasMore,
    last_attempt_failed: search.lastAttemptFailedAt !== null,
    last_attempt_failed_at: search.lastAttemptFailedAt?.toISOString() ?? null,
    active_run_id: search.activeRunId,
    created_by: search.createdBy,
    created_at: search.createdAt.toISOString(),
    updated_at: search.updatedAt.toISOString(),
  };
}

/** A people search with its preview. */
export function previewAnswer({ search, preview, charge, previewsLeft }: Previewed): PreviewedPeopleSearch {
  const { total, facets, alreadySaved, page } = preview;
  const deliverable = Math.min(total - alreadySaved, limits.peoplePerRunMax);
  return {
    ...searchAnswer(search),
    total,
    people: [...page.people],
    next_cursor: page.next === undefined ? undefined : writeCursor(page.next),
    facets,
    estimate: {
      matching: total,
      already_saved: alreadySaved,
      deliverable,
      price: prices.savedPerson,
      credits_max: deliverable * prices.savedPerson,
    },
    preview: { ...charge, previews_left: previewsLeft },
  };
}

/** The preview that was made, or the problem that kept it from being made. */
export function previewOrProblem(outcome: PreviewOutcome): PreviewedPeopleSearch {
  switch (outcome.kind) {
    case 'previewed':
      return previewAnswer(outcome);
    case 'costsCredits':
      throw new Problem('preview_costs_credits', {
        detail: `This preview costs ${outcome.required} credits.`,
        extra: { required: outcome.required },
      });
    case 'tooFewCredits':
      throw new Problem('credits_exhausted', {
        detail: `The preview needs ${outcome.required} credits, and ${outcome.available} are available.`,
        extra: { required: outcome.required, available: outcome.available },
      });
    case 'keyReused':
      throw new Problem('idempotency_key_reused');
    case 'searchNotFound':
      throw new Problem('search_not_found');
    case 'locked':
      throw new Problem('search_locked');
    case 'changed':
      throw new Problem('search_changed');
  }
}
