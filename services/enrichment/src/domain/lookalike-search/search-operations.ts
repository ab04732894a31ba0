import { isDeepStrictEqual } from 'node:util';
import type { RequestKey } from '@mailproof/durable-work';
import {
  type AccountId,
  type CreatorId,
  type DiscoverySearchId,
  isSandboxAccount,
  type LookalikeCompany,
  type LookalikeSearchSummary,
  type LookalikeSearchView,
  newId,
} from '@mailproof/shared-types';
import { LookalikeFault } from '../lookalike/lookalike-ranking.ts';
import { UnknownFilterValues } from '../people-search/people-index.ts';
import type { DeliveredPosition } from './company-rows.ts';
import { knownFilters } from './filter-words.ts';
import { type Look, type LookPorts, look, type NamedSeeds, namedIn, SeedsFault } from './look.ts';
import { compareCompanies, paidCompanyOf } from './lookalike-company.ts';
import {
  coverageOf,
  type KeptSearch,
  type LookalikeSearches,
  type SearchPosition,
} from './lookalike-searches.ts';
import { askedQuestion, type SearchQuestion, type WrittenQuestion } from './question.ts';
import { type ReadSeedPages, withSeedPages } from './seed-pages.ts';

export interface SearchPorts extends LookPorts {
  readonly readSeedPages: ReadSeedPages;
  readonly searches: LookalikeSearches;
  readonly now: () => Date;
}

/** A search and the account that owns it. */
export interface NamedSearch {
  readonly accountId: AccountId;
  readonly searchId: DiscoverySearchId;
}

export interface Page<Row, Position> {
  readonly rows: readonly Row[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: Position;
}

/**
 * Creates a search and returns its preview. A question that cannot be answered creates no search. A repeated request
 * returns the search that the first one made.
 *
 * @throws KeyReused if another request had the same key
 * @throws QuestionFault, UnknownFilterValues, SeedsFault, LookalikeFault, SimulatedError
 */
export async function beginSearch(
  ports: SearchPorts,
  {
    accountId,
    creatorId,
    name,
    key,
  }: {
    readonly accountId: AccountId;
    readonly creatorId: CreatorId;
    readonly name: string;
    readonly key: RequestKey | null;
  },
  asked: WrittenQuestion,
): Promise<LookalikeSearchView> {
  const earlier = await repeatedSearch(ports, accountId, key);
  if (earlier) {
    return earlier;
  }
  const question = await withSeedPages(ports, accountId, readAsked(asked));
  const seen = await look(ports, accountId, question);
  const [searchId, now] = [newId('discoverySearch'), ports.now()];
  const previewMatches = seen.expected.matches;
  const made = { searchId, accountId, creatorId, name, question, previewMatches, now, key };
  if (!(await ports.searches.create(made))) {
    return (await repeatedSearch(ports, accountId, key)) ?? unreachable(searchId);
  }
  const search = await ports.searches.find(accountId, searchId);
  return viewOf(search ?? unreachable(searchId), seen);
}

/** Another request had the same `Idempotency-Key`. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

async function repeatedSearch(
  ports: SearchPorts,
  accountId: AccountId,
  key: RequestKey | null,
): Promise<LookalikeSearchView | undefined> {
  const earlier = key && (await ports.searches.findByKey(accountId, key.hash));
  if (!earlier) {
    return undefined;
  }
  if (!Buffer.from(key.requestHash).equals(earlier.requestHash)) {
    throw new KeyReused();
  }
  await readFailedPages(ports, accountId, earlier.search);
  return getSearch(ports, { accountId, searchId: earlier.search.searchId });
}

/** Reads the websites again that could not be read when the search was made, as for a new search. */
async function readFailedPages(
  ports: SearchPorts,
  accountId: AccountId,
  { searchId, question, facts, isLocked, updatedAt }: KeptSearch,
): Promise<void> {
  const failed = Object.values(question.seedPages).some(
    page => 'unused' in page && (page.unused === 'page_not_read' || page.unused === 'page_unreachable'),
  );
  if (!failed || isLocked || isSandboxAccount(accountId)) {
    return;
  }
  const read = await withSeedPages(ports, accountId, question, question);
  if (!isDeepStrictEqual(read.seedPages, question.seedPages)) {
    // The customer has changed nothing, so the time of the last change stays.
    const change = { question: read, previewMatches: facts.previewMatches ?? 0, now: updatedAt };
    await ports.searches.change(accountId, searchId, change);
  }
}

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly view: LookalikeSearchView }
  | { readonly kind: 'notFound' | 'locked' };

/**
 * Changes the question of a search that is not locked.
 *
 * @throws QuestionFault, UnknownFilterValues, SeedsFault, LookalikeFault, SimulatedError
 */
export async function changeSearch(
  ports: SearchPorts,
  { accountId, searchId }: NamedSearch,
  asked: WrittenQuestion,
): Promise<ChangeOutcome> {
  const kept = await ports.searches.find(accountId, searchId);
  if (!kept) {
    return { kind: 'notFound' };
  }
  if (kept.isLocked) {
    return { kind: 'locked' };
  }
  const question = await withSeedPages(ports, accountId, readAsked(asked), kept.question);
  const seen = await look(ports, accountId, question);
  const change = { question, previewMatches: seen.expected.matches, now: ports.now() };
  const kind = await ports.searches.change(accountId, searchId, change);
  if (kind !== 'changed') {
    return { kind };
  }
  const search = await ports.searches.find(accountId, searchId);
  return search ? { kind, view: viewOf(search, seen) } : { kind: 'notFound' };
}

/** Returns a search with its current preview; without a ranking, with what is stored. */
export async function getSearch(
  ports: SearchPorts,
  { accountId, searchId }: NamedSearch,
): Promise<LookalikeSearchView | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  if (!search) {
    return undefined;
  }
  const seen = await lookAgain(ports, accountId, search);
  if (seen.expected === null || search.isLocked) {
    return viewOf(search, seen);
  }
  const previewMatches = seen.expected.matches;
  await ports.searches.notePreview(searchId, previewMatches);
  return viewOf({ ...search, facts: { ...search.facts, previewMatches } }, seen);
}

export async function listSearches(
  ports: Pick<SearchPorts, 'searches'>,
  accountId: AccountId,
  after: SearchPosition | undefined,
  rowsMax: number,
): Promise<Page<LookalikeSearchSummary, SearchPosition>> {
  const kept = await ports.searches.list(accountId, after, rowsMax + 1);
  const [rows, last] = [kept.slice(0, rowsMax), kept[rowsMax - 1]];
  const next = kept.length > rowsMax && last && { createdAt: last.createdAt, searchId: last.searchId };
  return { rows: rows.map(summaryOf), ...(next && { next }) };
}

/**
 * Returns the delivered companies in the order of the ranking; before the first delivery, the preview on one page.
 *
 * @throws LookalikeFault for a preview while no ranking is ready
 */
export async function listCompanies(
  ports: SearchPorts,
  { accountId, searchId }: NamedSearch,
  after: DeliveredPosition | undefined,
  rowsMax: number,
): Promise<Page<LookalikeCompany, DeliveredPosition> | undefined> {
  const search = await ports.searches.find(accountId, searchId);
  if (!search) {
    return undefined;
  }
  if (search.facts.delivered === 0) {
    return { rows: await previewOf(ports, accountId, search) };
  }
  const delivered = await ports.companies.readDelivered(accountId, searchId, after, rowsMax + 1);
  const [rows, last] = [delivered.slice(0, rowsMax), delivered[rowsMax - 1]];
  const next = delivered.length > rowsMax && last && { rank: last.rank, companyNo: last.companyNo };
  return { rows: rows.map(row => paidCompanyOf(row, row)), ...(next && { next }) };
}

export async function renameSearch(
  { searches, now }: Pick<SearchPorts, 'searches' | 'now'>,
  { accountId, searchId }: NamedSearch,
  name: string,
): Promise<LookalikeSearchSummary | undefined> {
  await searches.rename(accountId, searchId, name, now());
  const search = await searches.find(accountId, searchId);
  return search && summaryOf(search);
}

function readAsked(asked: WrittenQuestion): SearchQuestion {
  return askedQuestion({ ...asked, filters: knownFilters(asked.filters) });
}

interface PartialLook extends NamedSeeds, Pick<Look, 'preview'> {
  readonly expected: Look['expected'] | null;
}

/**
 * Seeds may have been removed from the store, a list may be deleted, and the ranking may be unavailable: delivered
 * companies can be read anyway.
 */
async function lookAgain(ports: SearchPorts, accountId: AccountId, search: KeptSearch): Promise<PartialLook> {
  const { question, searchId } = search;
  try {
    return await look(ports, accountId, question, searchId);
  } catch (error) {
    const isListGone = error instanceof UnknownFilterValues;
    if (!(error instanceof SeedsFault) && !(error instanceof LookalikeFault) && !isListGone) {
      throw error;
    }
    const named =
      error instanceof SeedsFault
        ? error.named
        : namedIn(question, await compareCompanies(ports.companies, accountId, question));
    return { ...named, preview: [], expected: null };
  }
}

async function previewOf(
  ports: SearchPorts,
  accountId: AccountId,
  { question, searchId }: KeptSearch,
): Promise<readonly LookalikeCompany[]> {
  try {
    return (await look(ports, accountId, question, searchId)).preview;
  } catch (error) {
    if (error instanceof SeedsFault || error instanceof UnknownFilterValues) {
      return [];
    }
    throw error;
  }
}

function viewOf(search: KeptSearch, seen: PartialLook): LookalikeSearchView {
  const { seeds, seedTextFault, unlike, preview, expected } = seen;
  return {
    ...summaryOf(search),
    seeds: [...seeds],
    seed_text_fault: seedTextFault,
    unlike: [...unlike],
    preview: [...preview],
    expected,
  };
}

function summaryOf(search: KeptSearch): LookalikeSearchSummary {
  const { seedDomains, seedText, unlikeDomains, filters } = search.question;
  return {
    search_id: search.searchId,
    name: search.name,
    seed_domains: [...seedDomains],
    seed_text: seedText,
    unlike_domains: [...unlikeDomains],
    filters,
    locked: search.isLocked,
    coverage: coverageOf(search.facts),
    delivered: search.facts.delivered,
    active_run_id: search.activeRunId,
    created_at: search.createdAt.toISOString(),
    updated_at: search.updatedAt.toISOString(),
  };
}

function unreachable(searchId: DiscoverySearchId): never {
  throw new Error(`The search ${searchId} was deleted while it was being created.`);
}
