import type { CrmObject } from '@mailproof/shared-types';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { hubSpotObject } from './hubspot-objects.ts';

export interface Found {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

/** Records that one call reads. */
const readAtOnceMax = 100;

/** Records by their ids or by a property with unique values; those that are not there are left out. */
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

/** As `readRecords`, of as many as there are. */
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
