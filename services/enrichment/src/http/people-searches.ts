import { type Handlers, Problem, readCursor, readRequestKey, writeCursor } from '@mailproof/service-kit';
import {
  type AccountId,
  beginPeopleSearch,
  type DiscoverySearchId,
  isSandboxAccount,
  limits,
  type PeopleSearch,
  type PreviewedPeopleSearch,
  prices,
} from '@mailproof/shared-types';
import { z } from 'zod';
import {
  beginPeopleSearch as begin,
  changePeopleSearch as change,
  getPeopleSearch,
  listPeopleOfSearch,
  type PeopleSearchPorts,
  type Previewed,
  type PreviewOutcome,
} from '../domain/discovery/people-search.ts';
import type { StoredPeopleSearch } from '../domain/discovery/people-search-store.ts';
import { readAnswer } from './people-index.ts';
import { orSearchProblem } from './search-problem.ts';

/** Stores the searches of accounts. */
export interface PeopleSearches {
  readonly list: (
    accountId: AccountId,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ) => Promise<{ readonly searches: readonly StoredPeopleSearch[]; readonly nextCursor: string | undefined }>;
  readonly rename: (
    accountId: AccountId,
    searchId: DiscoverySearchId,
    name: string,
  ) => Promise<StoredPeopleSearch | undefined>;
  readonly delete: (
    accountId: AccountId,
    searchId: DiscoverySearchId,
  ) => Promise<'deleted' | 'runActive' | 'gone'>;
}

/** Handlers of people searches: previews, which may cost credits, and their pages. */
export function peopleSearchHandlers(ports: PeopleSearchPorts, searches: PeopleSearches) {
  return {
    async beginPeopleSearch({ params: { accountId, callerId: creatorId }, body }, context) {
      const key = readRequestKey(beginPeopleSearch, accountId, body, context);
      const { name, filters, credits_max: creditsMax } = body;
      const outcome = await orSearchProblem(
        begin(ports, { accountId, creatorId, name, filters, creditsMax, key }),
        '/filters',
      );
      return previewOrProblem(accountId, outcome);
    },

    async listPeopleSearches({ params: { accountId }, query: { cursor, limit } }) {
      const { searches: found, nextCursor } = await searches.list(accountId, { cursor, limit });
      return { searches: found.map(searchAnswer), next_cursor: nextCursor };
    },

    async getPeopleSearch({ params: { accountId, search_id: searchId } }) {
      const previewed = await orSearchProblem(getPeopleSearch(ports, accountId, searchId), '');
      if (!previewed) {
        throw new Problem('search_not_found');
      }
      return previewAnswer(accountId, previewed);
    },

    async changePeopleSearch({ params: { accountId, search_id: searchId }, body }) {
      const { filters, credits_max: creditsMax } = body;
      const outcome = await orSearchProblem(
        change(ports, { accountId, searchId, filters, creditsMax }),
        '/filters',
      );
      return previewOrProblem(accountId, outcome);
    },

    async renamePeopleSearch({ params: { accountId, search_id: searchId }, body }) {
      const search = await searches.rename(accountId, searchId, body.name);
      if (!search) {
        throw new Problem('search_not_found');
      }
      return searchAnswer(search);
    },

    async deletePeopleSearch({ params: { accountId, search_id: searchId } }) {
      const outcome = await searches.delete(accountId, searchId);
      if (outcome !== 'deleted') {
        throw new Problem(outcome === 'gone' ? 'search_not_found' : 'run_active');
      }
      return { done: true } as const;
    },

    async listPeopleOfSearch({ params: { accountId, search_id: searchId }, query }) {
      const after = query.cursor === undefined ? 0 : readCursor(lastPersonNo, query.cursor);
      const page = await orSearchProblem(
        listPeopleOfSearch(ports, accountId, searchId, { after, limit: query.limit }),
        '',
      );
      if (!page) {
        throw new Problem('search_not_found');
      }
      return {
        people: [...page.people],
        next_cursor: page.next === undefined ? undefined : writeCursor(page.next),
      };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

/** The last number shown (ADR 0029). */
const lastPersonNo = z.int();

/** A people search as an entry of a list. */
function searchAnswer(search: StoredPeopleSearch): PeopleSearch {
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
function previewAnswer(
  accountId: AccountId,
  { search, preview, charge, previewsLeft }: Previewed,
): PreviewedPeopleSearch {
  const { total, facets, read, alreadySaved, page } = preview;
  const price = isSandboxAccount(accountId) ? 0 : prices.savedPerson;
  const deliverable = Math.min(total - alreadySaved, limits.peoplePerRunMax);
  return {
    ...searchAnswer(search),
    total,
    people: [...page.people],
    next_cursor: page.next === undefined ? undefined : writeCursor(page.next),
    facets,
    ...readAnswer(read),
    estimate: {
      matching: total,
      already_saved: alreadySaved,
      deliverable,
      price,
      credits_max: deliverable * price,
    },
    preview: { ...charge, previews_left: previewsLeft },
  };
}

/** Returns the preview, or throws the problem that prevented it. */
function previewOrProblem(accountId: AccountId, outcome: PreviewOutcome): PreviewedPeopleSearch {
  switch (outcome.kind) {
    case 'previewed':
      return previewAnswer(accountId, outcome);
    case 'costsCredits':
      throw new Problem('preview_costs_credits', {
        detail: `This preview costs ${outcome.required} credits.`,
        extra: { required: outcome.required },
      });
    case 'tooFewCredits':
      throw new Problem('credits_exhausted', {
        detail: `The preview costs ${outcome.required} credits; ${outcome.available} are available.`,
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
