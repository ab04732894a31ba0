import type { CrmObject } from '@mailproof/shared-types';
import type { CrmRecord, CrmSelection, RecordPage } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import type { HubSpotClient } from './hubspot-client.ts';
import { type Found, readRecords } from './hubspot-find.ts';
import { filtersOf, searchPageSize, searchRecords } from './hubspot-search.ts';
import { readSegmentPage, readSegmentSize } from './hubspot-segments.ts';

/** Records of a list whose ids are asked for at once: what one call reads, and one filter names. */
const segmentPageSize = 100;

export interface PageRequest {
  readonly properties: readonly string[];
  readonly after: string | null;
}

/** How many records a selection has. */
export async function countRecords(
  client: HubSpotClient,
  object: CrmObject,
  selection: CrmSelection,
  signal: AbortSignal,
): Promise<number> {
  const { segmentId, filters, recordsMax } = selection;
  if (segmentId === null) {
    const request = {
      filters: await filtersOf(client, object, filters, signal),
      properties: [],
      afterId: '0',
      limit: 1,
    };
    return (await searchRecords(client, object, request, signal)).total;
  }
  const size = filters.length === 0 ? await readSegmentSize(client, segmentId, signal) : null;
  if (size !== null) {
    return size;
  }
  let records = 0;
  for (let after: string | null = null; ; ) {
    const page: RecordPage = await readPage(client, object, selection, { properties: [], after }, signal);
    records += page.records.length;
    if (page.next === null || records > recordsMax) {
      return records;
    }
    after = page.next;
  }
}

/** A page of records. Of a list with filters a page can be empty and not the last one. */
export async function readPage(
  client: HubSpotClient,
  object: CrmObject,
  { segmentId, filters }: CrmSelection,
  { properties, after }: PageRequest,
  signal: AbortSignal,
): Promise<RecordPage> {
  const wanted = await filtersOf(client, object, filters, signal);
  if (segmentId === null) {
    const afterId = after ?? '0';
    assertId(afterId);
    const { records, lastId } = await searchRecords(
      client,
      object,
      { filters: wanted, properties, afterId, limit: searchPageSize },
      signal,
    );
    return { records: records.map(each => recordOf(each, properties)), next: lastId };
  }
  const { recordIds, next } = await readSegmentPage(client, segmentId, after, segmentPageSize, signal);
  const found =
    recordIds.length === 0
      ? []
      : wanted.length === 0
        ? await readRecords(client, object, { ids: recordIds, properties }, signal)
        : await searchAmong(recordIds);
  const sorted = found.toSorted((left, right) => Number(left.id) - Number(right.id));
  return { records: sorted.map(each => recordOf(each, properties)), next };

  /** HubSpot judges the filters itself: a search among the records of the page. */
  async function searchAmong(ids: readonly string[]): Promise<readonly Found[]> {
    const among = { propertyName: 'hs_object_id', operator: 'IN', values: ids } as const;
    const request = { filters: [among, ...wanted], properties, afterId: '0' };
    return (await searchRecords(client, object, request, signal)).records;
  }
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
