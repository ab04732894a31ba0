import {
  type AccountId,
  limits,
  type PeopleFacets,
  type PeopleFilters,
  type PreviewedPerson,
} from '@mailproof/shared-types';
import type { PeopleIndex } from '../people-search/people-index.ts';

/** What a preview is made from. */
export interface PreviewPorts {
  readonly index: Pick<PeopleIndex, 'count' | 'page'>;
  readonly savedNumbers: (accountId: AccountId) => Promise<Int32Array>;
  /** Previews of people who are in the store, in the order of the numbers. */
  readonly readPreviews: (
    accountId: AccountId,
    personNos: readonly number[],
  ) => Promise<readonly PreviewedPerson[]>;
}

/** What a preview shows, apart from the search. */
export interface PeoplePreview {
  readonly total: number;
  readonly facets: PeopleFacets;
  readonly alreadySaved: number;
  readonly page: PreviewPage;
}

export interface PreviewPage {
  readonly people: readonly PreviewedPerson[];
  /** The last number that was shown; the next page begins after it. Undefined on the last page. */
  readonly next: number | undefined;
}

export async function makePreview(
  ports: PreviewPorts,
  accountId: AccountId,
  filters: PeopleFilters,
): Promise<PeoplePreview> {
  const skip = await ports.savedNumbers(accountId);
  const [all, unsaved, page] = await Promise.all([
    ports.index.count({ filters, facets: true }),
    skip.length > 0 ? ports.index.count({ filters, skip }) : undefined,
    readPreviewPage(ports, accountId, filters, { after: 0, limit: limits.pageRowsDefault }),
  ]);
  if (!all.facets) {
    throw new Error('The index has left out the facets.');
  }
  const alreadySaved = unsaved ? Math.max(0, all.total - unsaved.total) : 0;
  return { total: all.total, facets: all.facets, alreadySaved, page };
}

/** A page of the people whom a preview may show: the first ones, whatever place somebody asks for. */
export async function readPreviewPage(
  ports: PreviewPorts,
  accountId: AccountId,
  filters: PeopleFilters,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<PreviewPage> {
  const shown = await ports.index.page({ filters, after: 0, limit: limits.previewedPeopleMax });
  const left = shown.personNos.filter(personNo => personNo > after);
  const personNos = left.slice(0, limit);
  const people = await ports.readPreviews(accountId, personNos);
  return { people, next: left.length > limit ? personNos.at(-1) : undefined };
}
