import type { CrmObject } from '@mailproof/shared-types';
import {
  CrmFault,
  type CrmRecord,
  type CrmSegment,
  type CrmSelection,
  type RecordPage,
} from '../../domain/crm/crm.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { type Found, hubSpotObject, readRecords } from './hubspot-objects.ts';
import {
  filtersMax,
  filtersOf,
  type HubSpotFilter,
  type PropertyTypes,
  type SearchRequest,
  searchPageSize,
  searchRecords,
} from './hubspot-search.ts';

/** The most ids in one request: the limit of one read call and of one filter. */
const idsMax = 100;

export interface PageSource {
  readonly client: HubSpotClient;
  readonly typesOf: PropertyTypes;
  /** How long records that HubSpot does not count itself are counted page by page, in milliseconds. */
  readonly countMsMax: number;
}

interface PageRequest {
  readonly properties: readonly string[];
  readonly after: string | null;
}

/**
 * Counts the records of a selection; if HubSpot does not count them, returns how many were seen within `countMsMax`.
 */
export async function countRecords(
  source: PageSource,
  object: CrmObject,
  selection: CrmSelection,
  signal: AbortSignal,
): Promise<number> {
  const { client, typesOf } = source;
  const { segmentId, filters, recordsMax } = selection;
  if (segmentId === null && filters.length <= filtersMax) {
    const wanted = await filtersOf(typesOf, object, filters, signal);
    const request: SearchRequest = { filters: wanted, properties: [], afterId: '0', limit: 1 };
    return (await searchRecords(client, object, request, signal)).total;
  }
  const size =
    segmentId !== null && filters.length === 0 ? await readSegmentSize(client, segmentId, signal) : null;
  if (size !== null) {
    return size;
  }
  const startedAtMs = performance.now();
  let records = 0;
  for (let after: string | null = null; ; ) {
    const page: RecordPage = await readPage(source, object, selection, { properties: [], after }, signal);
    records += page.records.length;
    // Continues until a record is seen, because zero would mean that there is nothing to import.
    const isLong = records > 0 && performance.now() - startedAtMs >= source.countMsMax;
    if (page.next === null || records > recordsMax || isLong) {
      return records;
    }
    after = page.next;
  }
}

/**
 * Reads a page of records. With many filters, or with filters on a segment, a page can be empty without being the last.
 */
export async function readPage(
  { client, typesOf }: PageSource,
  object: CrmObject,
  { segmentId, filters }: CrmSelection,
  { properties, after }: PageRequest,
  signal: AbortSignal,
): Promise<RecordPage> {
  const wanted = await filtersOf(typesOf, object, filters, signal);
  const { found, next } =
    segmentId === null
      ? await searchPage(client, object, wanted, { properties, after }, signal)
      : await segmentPage(client, object, segmentId, wanted, { properties, after }, signal);
  const sorted = found.toSorted((left, right) => Number(left.id) - Number(right.id));
  return { records: sorted.map(each => recordOf(each, properties)), next };
}

interface FoundPage {
  readonly found: readonly Found[];
  readonly next: string | null;
}

async function searchPage(
  client: HubSpotClient,
  object: CrmObject,
  filters: readonly HubSpotFilter[],
  { properties, after }: PageRequest,
  signal: AbortSignal,
): Promise<FoundPage> {
  const afterId = after ?? '0';
  assertId(afterId);
  const more = filters.slice(filtersMax);
  const request: SearchRequest = {
    filters: filters.slice(0, filtersMax),
    properties,
    afterId,
    limit: more.length === 0 ? searchPageSize : idsMax,
  };
  const { records, lastId } = await searchRecords(client, object, request, signal);
  const found =
    more.length === 0
      ? records
      : await searchAmong(
          client,
          object,
          { ids: records.map(({ id }) => id), filters: more, properties },
          signal,
        );
  return { found, next: lastId };
}

async function segmentPage(
  client: HubSpotClient,
  object: CrmObject,
  segmentId: string,
  filters: readonly HubSpotFilter[],
  { properties, after }: PageRequest,
  signal: AbortSignal,
): Promise<FoundPage> {
  const { recordIds: ids, next } = await readSegmentPage(client, segmentId, after, idsMax, signal);
  const found =
    filters.length === 0
      ? await readRecords(client, object, { ids, properties }, signal)
      : await searchAmong(client, object, { ids, filters, properties }, signal);
  return { found, next };
}

/**
 * Lets HubSpot apply the filters, as many per search as it accepts, to the records that passed the previous filters.
 */
async function searchAmong(
  client: HubSpotClient,
  object: CrmObject,
  {
    ids,
    filters,
    properties,
  }: {
    readonly ids: readonly string[];
    readonly filters: readonly HubSpotFilter[];
    readonly properties: readonly string[];
  },
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const atOnce = filtersMax - 1;
  let left: readonly Found[] = ids.map(id => ({ id, properties: {} }));
  for (let from = 0; from < filters.length && left.length > 0; from += atOnce) {
    const among = { propertyName: 'hs_object_id', operator: 'IN', values: left.map(({ id }) => id) } as const;
    const request = { filters: [among, ...filters.slice(from, from + atOnce)], properties, afterId: '0' };
    left = (await searchRecords(client, object, request, signal)).records;
  }
  return left;
}

function recordOf({ id, properties: values }: Found, properties: readonly string[]): CrmRecord {
  return {
    recordId: id,
    values: Object.fromEntries(properties.map(name => [name, values[name] ?? ''])),
  };
}

function assertId(id: string): void {
  if (!/^\d{1,20}$/.test(id)) {
    throw new CrmFault('refused');
  }
}

const segmentsMax = 1_000;
/** The page size of lists, which HubSpot returns for all kinds of records mixed, and the most pages that are read. */
const pageSize = 500;
const pagesMax = 20;

/** Reads the lists of a kind of record; HubSpot now calls them segments. */
export async function readSegments(
  client: HubSpotClient,
  object: CrmObject,
  signal: AbortSignal,
): Promise<readonly CrmSegment[]> {
  const { typeId } = hubSpotObject(object);
  const segments: CrmSegment[] = [];
  let offset = 0;
  for (let pages = 0; pages < pagesMax && segments.length < segmentsMax; pages += 1) {
    const from = offset;
    const page = await client.lists(
      ({ lists }) =>
        lists.doSearch({ offset: from, count: pageSize, additionalProperties: ['hs_list_size'] }),
      signal,
    );
    for (const { listId, name, objectTypeId, additionalProperties } of listed(page.lists)) {
      if (objectTypeId === typeId) {
        segments.push({ segmentId: listId, name, records: sizeOf(additionalProperties) });
      }
    }
    if (!page.hasMore || page.offset <= from) {
      break;
    }
    offset = page.offset;
  }
  return segments.slice(0, segmentsMax);
}

/** The number of records in a list; null if HubSpot does not say. */
async function readSegmentSize(
  client: HubSpotClient,
  segmentId: string,
  signal: AbortSignal,
): Promise<number | null> {
  assertSegmentId(segmentId);
  const { list } = await client.lists(({ lists }) => lists.getById(segmentId), signal);
  return list?.size ?? null;
}

/** Reads record ids of a list in order, and the position of the next page. */
async function readSegmentPage(
  client: HubSpotClient,
  segmentId: string,
  after: string | null,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly recordIds: readonly string[]; readonly next: string | null }> {
  assertSegmentId(segmentId);
  const page = await client.lists(
    ({ memberships }) => memberships.getPage(segmentId, after ?? undefined, undefined, limit),
    signal,
  );
  return {
    recordIds: listed(page.results).map(({ recordId }) => recordId),
    next: page.paging?.next?.after ?? null,
  };
}

function assertSegmentId(segmentId: string): void {
  if (!/^\d{1,20}$/.test(segmentId)) {
    throw new CrmFault('not_found');
  }
}

function sizeOf(properties: Readonly<Record<string, string>> | undefined): number | null {
  const size = Number(properties?.['hs_list_size'] ?? Number.NaN);
  return Number.isInteger(size) ? size : null;
}
