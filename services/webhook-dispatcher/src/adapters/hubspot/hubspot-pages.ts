import type { CrmObject } from '@mailproof/shared-types';
import type { CrmRecord, CrmSelection, RecordPage } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import type { HubSpotClient } from './hubspot-client.ts';
import { type Found, readRecords } from './hubspot-read.ts';
import {
  filtersMax,
  filtersOf,
  type HubSpotFilter,
  type PropertyTypes,
  type SearchRequest,
  searchPageSize,
  searchRecords,
} from './hubspot-search.ts';
import { readSegmentPage, readSegmentSize } from './hubspot-segments.ts';

/** Records whose ids are asked for at once: what one call reads, and one filter names. */
const idsMax = 100;

export interface PageSource {
  readonly client: HubSpotClient;
  readonly typesOf: PropertyTypes;
  /** Records that HubSpot does not count itself are counted for so long, in milliseconds. */
  readonly countMsMax: number;
}

export interface PageRequest {
  readonly properties: readonly string[];
  readonly after: string | null;
}

/** How many records a selection has; where HubSpot does not count them, as many as were seen in the time. */
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
  const beganAtMs = performance.now();
  let records = 0;
  for (let after: string | null = null; ; ) {
    const page: RecordPage = await readPage(source, object, selection, { properties: [], after }, signal);
    records += page.records.length;
    // With none seen yet it goes on: nothing to import would be another answer.
    const isLong = records > 0 && performance.now() - beganAtMs >= source.countMsMax;
    if (page.next === null || records > recordsMax || isLong) {
      return records;
    }
    after = page.next;
  }
}

/** A page of records. Where many filters narrow it, or those of a segment, it can be empty and not the last one. */
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

/** HubSpot judges filters itself, as many as one search takes at a time among those that the ones before have left. */
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
