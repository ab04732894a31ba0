import type { CrmObject } from '@mailproof/shared-types';
import type { CrmSegment } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { hubSpotObject } from './hubspot-objects.ts';

const segmentsMax = 1_000;
/** Lists of all kinds of records come together, in pages of so many; after so many pages nobody looks on. */
const pageSize = 500;
const pagesMax = 20;

/** Lists of records of a kind; HubSpot calls them segments now. */
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

/** How many records a list has; null where HubSpot does not say. */
export async function readSegmentSize(
  client: HubSpotClient,
  segmentId: string,
  signal: AbortSignal,
): Promise<number | null> {
  assertSegmentId(segmentId);
  const { list } = await client.lists(({ lists }) => lists.getById(segmentId), signal);
  return list?.size ?? null;
}

/** Records of a list in the order of their ids, and where the next page begins. */
export async function readSegmentPage(
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
