import type { CrmObject } from '@mailproof/shared-types';
import { CrmFault, type CrmValue, type IdentifyingProperty } from '../../domain/crm/crm.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';

/** HubSpot's names for a kind of record. */
export interface HubSpotObject {
  readonly type: 'contacts' | 'companies';
  /** The id by which lists refer to it. */
  readonly typeId: string;
  /** The group of our properties. */
  readonly propertyGroup: string;
  readonly identifying: IdentifyingProperty;
}

const objects: Readonly<Partial<Record<CrmObject, HubSpotObject>>> = {
  contact: {
    type: 'contacts',
    typeId: '0-1',
    propertyGroup: 'contactinformation',
    identifying: { property: 'email', kind: 'email' },
  },
  company: {
    type: 'companies',
    typeId: '0-2',
    propertyGroup: 'companyinformation',
    identifying: { property: 'domain', kind: 'domain' },
  },
};

export function findHubSpotObject(object: CrmObject): HubSpotObject | undefined {
  return objects[object];
}

/** Throws `CrmFault` for a kind of record that HubSpot does not have. */
export function hubSpotObject(object: CrmObject): HubSpotObject {
  const found = objects[object];
  if (found === undefined) {
    throw new CrmFault('not_found');
  }
  return found;
}

/** HubSpot's properties are text; an empty text clears the value. */
function textOf(value: CrmValue): string {
  return value === null ? '' : String(value);
}

export function textsOf(values: Readonly<Record<string, CrmValue>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
}

export interface Found {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

/** The most records that one call reads. */
const readAtOnceMax = 100;

/** Reads records by their ids or by a property with unique values; missing ones are left out. */
export async function readRecords(
  client: HubSpotClient,
  object: CrmObject,
  request: {
    readonly ids: readonly string[];
    readonly properties: readonly string[];
    readonly idProperty?: string;
  },
  signal: AbortSignal,
): Promise<readonly Found[]> {
  if (request.ids.length === 0) {
    return [];
  }
  const { type } = hubSpotObject(object);
  const { ids, properties, idProperty } = request;
  const { results } = await client.objects(
    ({ batch }) =>
      batch.read(
        type,
        {
          inputs: ids.map(id => ({ id })),
          properties: [...new Set(properties)],
          propertiesWithHistory: [],
          ...(idProperty !== undefined && { idProperty }),
        },
        false,
      ),
    signal,
  );
  return listed(results);
}

/** Like `readRecords`, for any number of ids. */
export async function readAllRecords(
  client: HubSpotClient,
  object: CrmObject,
  { ids, properties }: { readonly ids: readonly string[]; readonly properties: readonly string[] },
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < ids.length; from += readAtOnceMax) {
    const some = ids.slice(from, from + readAtOnceMax);
    found.push(...(await readRecords(client, object, { ids: some, properties }, signal)));
  }
  return found;
}
