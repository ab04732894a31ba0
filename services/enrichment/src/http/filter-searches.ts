import {
  type Handlers,
  Problem,
  type RequestContext,
  readCursor,
  readRequestKey,
  writeCursor,
} from '@mailproof/service-kit';
import {
  type AccountId,
  beginCompanySearch,
  beginPeopleSearch,
  type CompanyFacets,
  type CreatorId,
  companyFacetNames,
  type DiscoverySearchId,
  type FoundCompany,
  isSandboxAccount,
  limits,
  type PeopleFacets,
  type PeopleFilters,
  type PeopleSearch,
  type PreviewedPerson,
  prices,
} from '@mailproof/shared-types';
import { z } from 'zod';
import {
  beginFilterSearch,
  changeFilterSearch,
  type FilterSearchPorts,
  getFilterSearch,
  listPreviewed,
  type Previewed,
  type PreviewOutcome,
} from '../domain/discovery/filter-search.ts';
import type { StoredFilterSearch } from '../domain/discovery/filter-search-store.ts';
import { readAnswer } from './people-index.ts';
import { orSearchProblem } from './search-problem.ts';

/** Stores the searches of accounts, of one kind. */
export interface FilterSearches {
  readonly list: (
    accountId: AccountId,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ) => Promise<{ readonly searches: readonly StoredFilterSearch[]; readonly nextCursor: string | undefined }>;
  readonly rename: (
    accountId: AccountId,
    searchId: DiscoverySearchId,
    name: string,
  ) => Promise<StoredFilterSearch | undefined>;
  readonly delete: (
    accountId: AccountId,
    searchId: DiscoverySearchId,
  ) => Promise<'deleted' | 'runActive' | 'gone'>;
}

/** Handlers of people searches: previews, which may cost credits, and their pages. */
export function peopleSearchHandlers(
  ports: FilterSearchPorts<PreviewedPerson>,
  searches: FilterSearches,
): Pick<Handlers<'enrichment'>, `${'begin' | 'get' | 'change' | 'rename' | 'delete'}PeopleSearch`> &
  Pick<Handlers<'enrichment'>, 'listPeopleSearches' | 'listPeopleOfSearch'> {
  const handle = filterSearchHandlers(ports, searches, {
    begin: beginPeopleSearch,
    price: prices.savedPerson,
    recordsMax: limits.peoplePerRunMax,
  });
  const viewOf = ({ rows, ...view }: Awaited<ReturnType<typeof handle.get>>) => ({ ...view, people: rows });
  return {
    beginPeopleSearch: async (request, context) => viewOf(await handle.begin(request, context)),
    listPeopleSearches: handle.list,
    getPeopleSearch: async request => viewOf(await handle.get(request)),
    changePeopleSearch: async request => viewOf(await handle.change(request)),
    renamePeopleSearch: handle.rename,
    deletePeopleSearch: handle.delete,
    async listPeopleOfSearch(request) {
      const { rows, next_cursor } = await handle.page(request);
      return { people: rows, next_cursor };
    },
  };
}

/** Handlers of company searches, which differ from people searches only in what they show. */
export function companySearchHandlers(
  ports: FilterSearchPorts<FoundCompany>,
  searches: FilterSearches,
): Pick<Handlers<'enrichment'>, `${'begin' | 'get' | 'change' | 'rename' | 'delete'}CompanySearch`> &
  Pick<Handlers<'enrichment'>, 'countCompanies' | 'listCompanySearches' | 'listCompaniesOfSearch'> {
  const handle = filterSearchHandlers(ports, searches, {
    begin: beginCompanySearch,
    price: prices.savedCompany,
    recordsMax: limits.companiesPerRunMax,
  });
  const viewOf = ({ rows, facets, ...view }: Awaited<ReturnType<typeof handle.get>>) => ({
    ...view,
    facets: companyFacetsOf(facets),
    companies: rows,
  });
  return {
    async countCompanies({ params: { accountId }, body }) {
      const { total, facets, read } = await orSearchProblem(
        ports.indexOf(accountId).count({ filters: body.filters, facets: true }),
        '/filters',
      );
      if (!facets) {
        throw new Error('The company index left out the facets.');
      }
      return { total, facets: companyFacetsOf(facets), ...readAnswer(read) };
    },
    beginCompanySearch: async (request, context) => viewOf(await handle.begin(request, context)),
    listCompanySearches: handle.list,
    getCompanySearch: async request => viewOf(await handle.get(request)),
    changeCompanySearch: async request => viewOf(await handle.change(request)),
    renameCompanySearch: handle.rename,
    deleteCompanySearch: handle.delete,
    async listCompaniesOfSearch(request) {
      const { rows, next_cursor } = await handle.page(request);
      return { companies: rows, next_cursor };
    },
  };
}

/** A company has no job title, seniority or department. */
function companyFacetsOf(facets: PeopleFacets): CompanyFacets {
  return Object.fromEntries(companyFacetNames.map(name => [name, facets[name]])) as CompanyFacets;
}

interface KindOfSearch {
  /** Identifies requests with an `Idempotency-Key`. */
  readonly begin: Parameters<typeof readRequestKey>[0];
  /** Credits for each saved record. */
  readonly price: number;
  /** The maximum number of records that one run saves. */
  readonly recordsMax: number;
}

interface OfSearch {
  readonly params: { readonly accountId: AccountId; readonly search_id: DiscoverySearchId };
}

interface Asked {
  /** Those of a company search are a part of those of people. */
  readonly filters: PeopleFilters;
  readonly credits_max: number;
}

interface BeginRequest {
  readonly params: { readonly accountId: AccountId; readonly callerId: CreatorId };
  readonly body: Asked & { readonly name: string };
}

interface ChangeRequest extends OfSearch {
  readonly body: Asked;
}

type PageQuery = { readonly query: { readonly cursor?: string | undefined; readonly limit: number } };

/** What the handlers of both kinds of search share; `rows` are people or companies. */
function filterSearchHandlers<Row>(
  ports: FilterSearchPorts<Row>,
  searches: FilterSearches,
  kind: KindOfSearch,
) {
  const answer = (accountId: AccountId, outcome: PreviewOutcome<Row>) =>
    previewAnswer(accountId, previewedOrProblem(outcome), kind);
  return {
    async begin(
      { params: { accountId, callerId: creatorId }, body }: BeginRequest,
      context: RequestContext<unknown>,
    ) {
      const key = readRequestKey(kind.begin, accountId, body, context);
      const { name, filters, credits_max: creditsMax } = body;
      const outcome = await orSearchProblem(
        beginFilterSearch(ports, { accountId, creatorId, name, filters, creditsMax, key }),
        '/filters',
      );
      return answer(accountId, outcome);
    },

    async list({ params: { accountId }, query }: PageQuery & { readonly params: { accountId: AccountId } }) {
      const { searches: found, nextCursor } = await searches.list(accountId, {
        cursor: query.cursor,
        limit: query.limit,
      });
      return { searches: found.map(searchAnswer), next_cursor: nextCursor };
    },

    async get({ params: { accountId, search_id: searchId } }: OfSearch) {
      const previewed = await orSearchProblem(getFilterSearch(ports, accountId, searchId), '');
      if (!previewed) {
        throw new Problem('search_not_found');
      }
      return previewAnswer(accountId, previewed, kind);
    },

    async change({ params: { accountId, search_id: searchId }, body }: ChangeRequest) {
      const { filters, credits_max: creditsMax } = body;
      const outcome = await orSearchProblem(
        changeFilterSearch(ports, { accountId, searchId, filters, creditsMax }),
        '/filters',
      );
      return answer(accountId, outcome);
    },

    async rename({
      params: { accountId, search_id: searchId },
      body,
    }: OfSearch & { readonly body: { readonly name: string } }) {
      const search = await searches.rename(accountId, searchId, body.name);
      if (!search) {
        throw new Problem('search_not_found');
      }
      return searchAnswer(search);
    },

    async delete({ params: { accountId, search_id: searchId } }: OfSearch) {
      const outcome = await searches.delete(accountId, searchId);
      if (outcome !== 'deleted') {
        throw new Problem(outcome === 'gone' ? 'search_not_found' : 'run_active');
      }
      return { done: true } as const;
    },

    async page({ params: { accountId, search_id: searchId }, query }: OfSearch & PageQuery) {
      const after = query.cursor === undefined ? 0 : readCursor(lastRecordNo, query.cursor);
      const page = await orSearchProblem(
        listPreviewed(ports, accountId, searchId, { after, limit: query.limit }),
        '',
      );
      if (!page) {
        throw new Problem('search_not_found');
      }
      return {
        rows: [...page.rows],
        next_cursor: page.next === undefined ? undefined : writeCursor(page.next),
      };
    },
  };
}

/** The last number shown (ADR 0029). */
const lastRecordNo = z.int();

/** A search as an entry of a list. */
function searchAnswer(search: StoredFilterSearch): PeopleSearch {
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

/** A search with its preview. */
function previewAnswer<Row>(
  accountId: AccountId,
  { search, preview, charge, previewsLeft }: Previewed<Row>,
  kind: KindOfSearch,
) {
  const { total, facets, read, alreadySaved, page } = preview;
  const price = isSandboxAccount(accountId) ? 0 : kind.price;
  const deliverable = Math.min(total - alreadySaved, kind.recordsMax);
  return {
    ...searchAnswer(search),
    total,
    rows: [...page.rows],
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
function previewedOrProblem<Row>(outcome: PreviewOutcome<Row>): Previewed<Row> {
  switch (outcome.kind) {
    case 'previewed':
      return outcome;
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
