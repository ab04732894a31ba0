import type { CrmObject } from '@mailproof/shared-types';
import { CrmFault, type FoundRecord, ownKeyProperty } from '../../domain/crm/crm.ts';
import type { HubSpotClient } from './hubspot-client.ts';
import { type Found, hubSpotObject, readRecords } from './hubspot-objects.ts';
import { findOwnKey } from './hubspot-properties.ts';
import { inSearches, type SearchPage, searchRecords } from './hubspot-search.ts';

/** The additional addresses of a contact, by which HubSpot also finds it. */
const furtherEmailsProperty = 'hs_additional_emails';

export interface FindRequest {
  readonly by: 'record_id' | 'own_key' | 'identifying';
  readonly values: readonly string[];
  readonly properties: readonly string[];
}

/**
 * Finds records by the values of one property; of several with the same value, the one with the smallest id, the
 * oldest.
 */
export async function findRecords(
  client: HubSpotClient,
  object: CrmObject,
  { by, values, properties }: FindRequest,
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const { identifying } = hubSpotObject(object);
  const asked = [...new Set(values)].filter(value => value !== '');
  if (asked.length === 0) {
    return [];
  }
  switch (by) {
    case 'record_id': {
      const ids = asked.filter(id => /^\d{1,20}$/.test(id));
      const found = await readRecords(client, object, { ids, properties }, signal);
      return tie(ids, found, properties, ({ id }) => [id]);
    }
    case 'own_key': {
      const found = await readByOwnKey(client, object, asked, [...properties, ownKeyProperty], signal);
      return tie(asked, found, properties, each => [each.properties[ownKeyProperty] ?? '']);
    }
    case 'identifying':
      return identifying.kind === 'email'
        ? findByEmail(client, object, asked, properties, signal)
        : findByDomain(client, object, asked, properties, signal);
  }
}

/** Finds nothing if our property does not exist yet; a dry run before the first push does not create it. */
async function readByOwnKey(
  client: HubSpotClient,
  object: CrmObject,
  ids: readonly string[],
  properties: readonly string[],
  signal: AbortSignal,
): Promise<readonly Found[]> {
  try {
    return await readRecords(client, object, { ids, properties, idProperty: ownKeyProperty }, signal);
  } catch (error) {
    const isAsked = error instanceof CrmFault && (error.kind === 'refused' || error.kind === 'not_found');
    if (isAsked && (await findOwnKey(client, object, signal)) === undefined) {
      return [];
    }
    throw error;
  }
}

async function findByEmail(
  client: HubSpotClient,
  object: CrmObject,
  asked: readonly string[],
  properties: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const ids = [...new Set(asked.map(folded))];
  const found = await readRecords(
    client,
    object,
    { ids, properties: [...properties, 'email', furtherEmailsProperty], idProperty: 'email' },
    signal,
  );
  return tie(asked, found, properties, ({ properties: values }) =>
    [values['email'] ?? '', ...(values[furtherEmailsProperty] ?? '').split(';')].map(folded),
  );
}

async function findByDomain(
  client: HubSpotClient,
  object: CrmObject,
  asked: readonly string[],
  properties: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const found: Found[] = [];
  for (const domains of inSearches(new Set(asked.map(folded)))) {
    const untold = new Set(domains);
    // A domain can have more companies than fit on a page. The oldest comes first; then the domain is no longer
    // requested.
    for (let afterId: string | null = '0'; afterId !== null && untold.size > 0; ) {
      const page: SearchPage = await searchRecords(
        client,
        object,
        {
          filters: [{ propertyName: 'domain', operator: 'IN', values: [...untold] }],
          properties: [...properties, 'domain'],
          afterId,
        },
        signal,
      );
      found.push(...page.records);
      for (const { properties: values } of page.records) {
        untold.delete(folded(values['domain'] ?? ''));
      }
      afterId = page.lastId;
    }
  }
  return tie(asked, found, properties, each => [folded(each.properties['domain'] ?? '')]);
}

/** Matches records to the requested values. */
function tie(
  asked: readonly string[],
  found: readonly Found[],
  properties: readonly string[],
  valuesOf: (found: Found) => readonly string[],
): readonly FoundRecord[] {
  const byValue = new Map<string, Found>();
  for (const each of found.toSorted((left, right) => Number(left.id) - Number(right.id))) {
    for (const value of valuesOf(each)) {
      if (!byValue.has(value)) {
        byValue.set(value, each);
      }
    }
  }
  return asked.flatMap(value => {
    const record = byValue.get(value) ?? byValue.get(folded(value));
    return record === undefined
      ? []
      : [
          {
            recordId: record.id,
            foundBy: value,
            values: Object.fromEntries(properties.map(name => [name, record.properties[name] || null])),
          },
        ];
  });
}

/** HubSpot stores addresses and domains in lower case. */
function folded(value: string): string {
  return value.trim().toLowerCase();
}
