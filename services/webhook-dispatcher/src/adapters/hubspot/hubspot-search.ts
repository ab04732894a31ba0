import type * as Objects from '@hubspot/api-client/lib/codegen/crm/objects/index.js';
import type { CrmObject, CrmPropertyType } from '@mailproof/shared-types';
import { CrmFault, type CrmFilter } from '../../domain/crm/crm.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { type Found, hubSpotObject, readAllRecords } from './hubspot-objects.ts';
import { readProperties } from './hubspot-properties.ts';

/** A filter in HubSpot's format. */
export interface HubSpotFilter {
  readonly propertyName: string;
  readonly operator: `${Objects.FilterOperatorEnum}`;
  readonly value?: string;
  readonly values?: readonly string[];
}

export interface SearchRequest {
  readonly filters: readonly HubSpotFilter[];
  readonly properties: readonly string[];
  /** Only records with a greater id. */
  readonly afterId: string;
  readonly limit?: number;
}

export interface SearchPage {
  readonly records: readonly Found[];
  /** How many records follow `afterId`. */
  readonly total: number;
  /** The last record's id if more records may follow. */
  readonly lastId: string | null;
}

/** The number of records in a page. */
export const searchPageSize = 200;
/** The most filters in one search, not counting the filter for the start of its page. */
export const filtersMax = 5;

/** The most characters in the body of a search; HubSpot answers 400 above 3,000. */
const bodyCharactersMax = 2_900;
/** The most characters and values in one filter, which leaves room for the rest of the body. */
const valuesCharactersMax = 1_800;
const valuesMax = 100;

/** Splits values into groups that each fit into one search. */
export function inSearches(values: Iterable<string>): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let room = 0;
  for (const value of values) {
    const needed = lengthOf(value) + 1;
    const last = groups.at(-1);
    if (!last || needed > room || last.length === valuesMax) {
      groups.push([value]);
      room = valuesCharactersMax - needed;
    } else {
      last.push(value);
      room -= needed;
    }
  }
  return groups;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}

/**
 * Reads records in the order of their ids, after a given id. Every page is a separate query that starts after the last
 * record, so no query gets near HubSpot's limit of 10,000 results.
 */
export async function searchRecords(
  client: HubSpotClient,
  object: CrmObject,
  { filters, properties, afterId, limit = searchPageSize }: SearchRequest,
  signal: AbortSignal,
): Promise<SearchPage> {
  const { type } = hubSpotObject(object);
  const all = [{ propertyName: 'hs_object_id', operator: 'GT', value: afterId } as const, ...filters];
  const wanted = [...new Set(properties)];
  const bodyWith = (named: readonly string[]) => ({
    filterGroups: [{ filters: all.map(asClientFilter) }],
    sorts: ['hs_object_id'],
    properties: [...named],
    limit,
  });
  // If there is no room to name the properties, the records are read by their ids.
  const namesThem = lengthOf(bodyWith(wanted)) <= bodyCharactersMax;
  const body = bodyWith(namesThem ? wanted : []);
  if (lengthOf(body) > bodyCharactersMax) {
    throw new CrmFault('refused', null, 'HubSpot accepts fewer and shorter filter values in one search.');
  }
  const answer = await client.objects(({ search }) => search.doSearch(type, body), signal);
  const listedRecords = listed(answer.results);
  const records = namesThem
    ? listedRecords
    : await readAllRecords(
        client,
        object,
        { ids: listedRecords.map(({ id }) => id), properties: wanted },
        signal,
      );
  const lastId = listedRecords.at(-1)?.id;
  if (lastId !== undefined && !(Number(lastId) > Number(afterId))) {
    // If a server returned records out of order, callers would loop forever.
    throw new CrmFault('away');
  }
  return { records, total: answer.total, lastId: listedRecords.length < limit ? null : (lastId ?? null) };
}

/** Returns the types of the properties of a kind of record, by name. */
export type PropertyTypes = (
  object: CrmObject,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, CrmPropertyType>>;

/** Reads the types once for each kind of record, since consecutive pages need the same. */
export function createPropertyTypes(client: HubSpotClient): PropertyTypes {
  const asked = new Map<CrmObject, ReadonlyMap<string, CrmPropertyType>>();
  return async (object, signal) => {
    const known = asked.get(object);
    if (known) {
      return known;
    }
    const properties = await readProperties(client, object, signal);
    const types = new Map(properties.map(({ name, type }) => [name, type]));
    asked.set(object, types);
    return types;
  };
}

/** Operators whose values have to match the format of the property's type. */
const comparing: ReadonlySet<CrmFilter['operator']> = new Set([
  'is',
  'is_not',
  'is_one_of',
  'above',
  'below',
]);

/** Converts a selection's filters to HubSpot's format, which depends on the types of the properties. */
export async function filtersOf(
  typesOf: PropertyTypes,
  object: CrmObject,
  filters: readonly CrmFilter[],
  signal: AbortSignal,
): Promise<readonly HubSpotFilter[]> {
  const needsTypes = filters.some(({ operator }) => comparing.has(operator));
  const types = needsTypes ? await typesOf(object, signal) : new Map<string, CrmPropertyType>();
  return filters.map(filter => {
    const type = types.get(filter.property);
    // Dates and times are compared as milliseconds, and lists of texts have to be in lower case.
    const asMoment = type === 'date' || type === 'moment';
    const asLower = filter.operator === 'is_one_of' && type === 'text';
    return filterOf(
      filter,
      filter.values.map(value => (asMoment ? momentOf(value) : asLower ? value.toLowerCase() : value)),
    );
  });
}

function filterOf({ property: propertyName, operator }: CrmFilter, values: readonly string[]): HubSpotFilter {
  const [value = ''] = values;
  switch (operator) {
    case 'is':
      return { propertyName, operator: 'EQ', value };
    case 'is_not':
      return { propertyName, operator: 'NEQ', value };
    case 'is_one_of':
      return { propertyName, operator: 'IN', values };
    case 'is_known':
      return { propertyName, operator: 'HAS_PROPERTY' };
    case 'is_unknown':
      return { propertyName, operator: 'NOT_HAS_PROPERTY' };
    case 'above':
      return { propertyName, operator: 'GT', value };
    case 'below':
      return { propertyName, operator: 'LT', value };
    case 'contains':
      return { propertyName, operator: 'CONTAINS_TOKEN', value: `*${value}*` };
  }
}

function momentOf(value: string): string {
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : String(ms);
}

function asClientFilter({ propertyName, operator, value, values }: HubSpotFilter): Objects.Filter {
  return {
    propertyName,
    operator: operator as Objects.FilterOperatorEnum,
    ...(value !== undefined && { value }),
    ...(values !== undefined && { values: [...values] }),
  };
}
