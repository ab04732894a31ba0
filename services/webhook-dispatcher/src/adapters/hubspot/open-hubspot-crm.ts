import type { Crm, CrmAccessSource, OpenCrm } from '../../domain/crm/crm.ts';
import { type CallPace, createCallPace } from './call-pace.ts';
import { createHubSpotClient } from './hubspot-client.ts';
import { findRecords } from './hubspot-find.ts';
import { findHubSpotObject } from './hubspot-objects.ts';
import { countRecords, type PageSource, readPage, readSegments } from './hubspot-pages.ts';
import { ensureOwnKey, ensureProperties, readProperties } from './hubspot-properties.ts';
import { createPropertyTypes } from './hubspot-search.ts';
import { createTransport, type TransportOptions } from './hubspot-transport.ts';
import { removeRecords, writeRecords } from './hubspot-write.ts';

export interface HubSpotCrmOptions extends Pick<TransportOptions, 'outside' | 'userAgent'> {
  /** The deadline for one answer, in milliseconds. */
  readonly deadlineMs?: number;
  /** The most searches in any second; HubSpot accepts 5 from all programs of an account together. */
  readonly searchesPerSecondMax?: number;
  /** How long records are counted page by page, in milliseconds; shorter than callers wait for the number. */
  readonly countMsMax?: number;
}

const deadlineMsUsual = 30_000;
const searchesPerSecondUsual = 4;
const countMsUsual = 40_000;
/** The most accounts whose pace is remembered. */
const pacesMax = 1_000;

/** Opens HubSpot for connections; in this process, all calls for one account share one pace. */
export function openHubSpotCrm(options: HubSpotCrmOptions): OpenCrm {
  const { deadlineMs = deadlineMsUsual, searchesPerSecondMax = searchesPerSecondUsual } = options;
  const { countMsMax = countMsUsual } = options;
  const paces = new Map<string, CallPace>();

  function paceOf(organizationId: string | undefined): CallPace {
    const known = organizationId === undefined ? undefined : paces.get(organizationId);
    const pace = known ?? createCallPace({ searchesPerSecondMax });
    if (organizationId !== undefined) {
      // The map is ordered by last use, so the first key is the pace that has been idle longest.
      paces.delete(organizationId);
      paces.set(organizationId, pace);
      const [longest] = paces.keys();
      if (paces.size > pacesMax && longest !== undefined) {
        paces.delete(longest);
      }
    }
    return pace;
  }

  return (access: CrmAccessSource, organizationId?: string): Crm => {
    const transport = createTransport({ ...options, deadlineMs }, access, paceOf(organizationId));
    const client = createHubSpotClient(transport);
    const source: PageSource = { client, typesOf: createPropertyTypes(client), countMsMax };
    return {
      provider: 'hubspot',
      identifyingProperty: object => findHubSpotObject(object)?.identifying,
      properties: (object, signal) => readProperties(client, object, signal),
      segments: (object, signal) => readSegments(client, object, signal),
      ensureOwnKey: (object, signal) => ensureOwnKey(client, object, signal),
      ensureProperties: (object, wanted, signal) => ensureProperties(client, object, wanted, signal),
      find: (object, by, values, properties, signal) =>
        findRecords(client, object, { by, values, properties }, signal),
      write: (object, writes, signal) => writeRecords(client, object, writes, signal),
      remove: (object, recordIds, signal) => removeRecords(client, object, recordIds, signal),
      count: (object, selection, signal) => countRecords(source, object, selection, signal),
      page: (object, selection, request, signal) => readPage(source, object, selection, request, signal),
    };
  };
}
