import type * as Objects from '@hubspot/api-client/lib/codegen/crm/objects/index.js';
import type { CrmObject, CrmPropertyType } from '@mailproof/shared-types';
import type { CrmFilter } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import type { Found } from './hubspot-find.ts';
import { hubSpotObject } from './hubspot-objects.ts';
import { readProperties } from './hubspot-properties.ts';

/** A filter in HubSpot's words. */
export interface HubSpotFilter {
  readonly propertyName: string;
  readonly operator: `${Objects.FilterOperatorEnum}`;
  readonly value?: string;
  readonly values?: readonly string[];
}

export interface SearchRequest {
  readonly filters: readonly HubSpotFilter[];
  readonly properties: readonly string[];
  /** Records behind this one. */
  readonly afterId: string;
  readonly limit?: number;
}

export interface SearchPage {
  readonly records: readonly Found[];
  /** How many there are behind `afterId`. */
  readonly total: number;
  /** The last record's id where there may be more behind it. */
  readonly lastId: string | null;
}

/** Records of a page. */
export const searchPageSize = 200;
/** Filters that one search takes besides the one that says where its page begins. */
export const filtersMax = 5;

/**
 * Records in the order of their ids behind one of them. Every page is a query of its own that begins behind the last
 * record, so that none comes near the 10,000 results at which HubSpot stops.
 */
export async function searchRecords(
  client: HubSpotClient,
  object: CrmObject,
  { filters, properties, afterId, limit = searchPageSize }: SearchRequest,
  signal: AbortSignal,
): Promise<SearchPage> {
  const { type } = hubSpotObject(object);
  const all = [{ propertyName: 'hs_object_id', operator: 'GT', value: afterId } as const, ...filters];
  const answer = await client.objects(
    ({ search }) =>
      search.doSearch(type, {
        filterGroups: [{ filters: all.map(asClientFilter) }],
        sorts: ['hs_object_id'],
        properties: [...new Set(properties)],
        limit,
      }),
    signal,
  );
  const records = listed(answer.results);
  const lastId = records.at(-1)?.id;
  if (lastId !== undefined && !(Number(lastId) > Number(afterId))) {
    // Whoever does not keep the order would have us go round for ever.
    throw new CrmFault('away');
  }
  return { records, total: answer.total, lastId: records.length < limit ? null : (lastId ?? null) };
}

/** The types of the properties of a kind of records, by name. */
export type PropertyTypes = (
  object: CrmObject,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, CrmPropertyType>>;

/** Asks once for each kind of records: pages that follow each other need the same. */
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

/** A selection's filters in HubSpot's words, which depend on the types of their properties. */
export async function filtersOf(
  typesOf: PropertyTypes,
  object: CrmObject,
  filters: readonly CrmFilter[],
  signal: AbortSignal,
): Promise<readonly HubSpotFilter[]> {
  const needsTypes = filters.some(({ operator }) => ['is_one_of', 'above', 'below'].includes(operator));
  const types = needsTypes ? await typesOf(object, signal) : new Map<string, CrmPropertyType>();
  return filters.map(filter => {
    const type = types.get(filter.property);
    // Moments are compared as milliseconds, and lists of texts have to be in lower case.
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
