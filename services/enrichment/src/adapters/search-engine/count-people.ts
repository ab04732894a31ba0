import {
  closedFacets,
  limits,
  openFacets,
  type PeopleFacet,
  type PeopleFacetName,
  type PeopleFacets,
  peopleFacetNames,
} from '@mailproof/shared-types';
import { closedVocabularies } from '../../domain/people-search/check-filters.ts';
import type { PeopleCounts } from '../../domain/people-search/people-index.ts';
import { listFacets } from '../../domain/people-search/search-document.ts';
import {
  type Asked,
  type Clause,
  type CountedField,
  type CountedSet,
  countedSets,
  hasLists,
} from './search-query.ts';

/** How many fields a search with a query counts: with fewer, more searches run in parallel, and read the query again. */
const fieldsPerSearch = 4;

/**
 * How many values of a facet are counted where those that are shown do not suffice: by each of several shards, in which
 * a value that is frequent on the whole can be rare, and among everyone, of whom some are then subtracted.
 */
const valuesMax = 500;

export interface CountOptions {
  /** Runs searches in parallel; returns their answers in the same order. */
  readonly run: (bodies: readonly object[]) => Promise<readonly CountAnswer[]>;
  readonly withFacets: boolean;
  readonly shards: number;
  /** Whether the index has not changed for some time, so that the engine has the counts of everyone in its cache. */
  readonly isSettled: boolean;
}

interface Bucket {
  readonly key: string;
  readonly doc_count: number;
}

interface FieldAnswer {
  readonly sum_other_doc_count?: number;
  readonly buckets?: readonly Bucket[];
  readonly value?: number;
}

export interface CountAnswer {
  readonly hits: { readonly total: { readonly value: number } };
  readonly aggregations?: Readonly<Record<string, FieldAnswer>>;
}

interface FieldsAsked {
  readonly fields: readonly CountedField[];
  /** Undefined for everyone. */
  readonly query: Clause | undefined;
  /** Whether the query is too long to be sent for parts of the fields. */
  readonly isLong: boolean;
  /** How many values of an open facet are counted: as many as can be shown unless given, but more of everyone. */
  readonly most?: number;
  /** For fields of which these values are counted, instead of the most frequent ones. */
  readonly values?: ReadonlyMap<CountedField, readonly string[]>;
}

/** The counted values of a field, most frequent first, and how many times people have others. */
interface Counted {
  readonly people: number;
  readonly buckets: readonly Bucket[];
  readonly others: number;
}

interface Counts {
  readonly people: number;
  readonly fields: ReadonlyMap<CountedField, Counted>;
}

/** Returns the total and facets of people, with the keys of values instead of their spellings. */
export async function countPeople(asked: Asked, options: CountOptions): Promise<PeopleCounts> {
  const sets = countedSets(asked, options.withFacets);
  const counts = await Promise.all(sets.map(set => countSet(set, options)));
  const { people: total } = counts[0] as Counts;
  if (!options.withFacets) {
    return { total };
  }
  const facet = (name: PeopleFacetName) => {
    const at = sets.findIndex(({ facets }) => facets.includes(name));
    return facetOf(name, (counts[at] as Counts).fields);
  };
  return {
    total,
    facets: Object.fromEntries(peopleFacetNames.map(name => [name, facet(name)])) as PeopleFacets,
  };
}

/**
 * Counts people by the fields of a set. The engine visits everyone in the set, for each field. So if a search does nothing
 * but exclude fewer than half of all people, those are counted, and subtracted from all, whom the engine has in its cache.
 */
async function countSet(set: CountedSet, options: CountOptions): Promise<Counts> {
  const { fields, excluded, isLong } = set;
  if (excluded === undefined || fields.length === 0 || !options.isSettled) {
    return countFields(set, options);
  }
  const [{ people: peopleMax }, { people: gone }] = await Promise.all([
    countFields({ query: undefined, fields: [], isLong: false }, options),
    countFields({ query: excluded, fields: [], isLong }, options),
  ]);
  if (gone >= peopleMax / 2) {
    return countFields(set, options);
  }
  const all = await countFields({ query: undefined, fields, isLong: false }, options);
  const cutOff = [...all.fields].filter(([, counted]) => counted.others > 0);
  const rest = await countFields(
    {
      // Several shards do not count the same values.
      fields: options.shards === 1 ? fields : fields.filter(field => all.fields.get(field)?.others === 0),
      ...{ query: excluded, isLong, most: valuesMax },
      values: new Map(cutOff.map(([field, { buckets }]) => [field, buckets.map(({ key }) => key)])),
    },
    options,
  );
  const people = peopleMax - gone;
  const left = new Map<CountedField, Counted>();
  for (const [field, without] of rest.fields) {
    const counted = subtract(all.fields.get(field) as Counted, without);
    // Otherwise people have changed meanwhile.
    if (counted && counted.people === people) {
      left.set(field, counted);
    }
  }
  const again = fields.filter(field => !left.has(field));
  const counts = again.length > 0 ? await countFields({ ...set, fields: again }, options) : undefined;
  return { people, fields: new Map([...left, ...(counts?.fields ?? [])]) };
}

/** Subtracts counts of some people from those of all; undefined if a value that was not counted could be shown. */
function subtract(all: Counted, some: Counted): Counted | undefined {
  const gone = new Map(some.buckets.map(({ key, doc_count }) => [key, doc_count]));
  const buckets = all.buckets
    .map(({ key, doc_count }) => ({ key, doc_count: doc_count - (gone.get(key) ?? 0) }))
    .filter(({ doc_count }) => doc_count !== 0)
    .sort((one, other) => other.doc_count - one.doc_count || (one.key < other.key ? -1 : 1));
  // No other value is more frequent than this, with and without some people; one that is as frequent can come first.
  const bound = all.buckets.at(-1)?.doc_count ?? 0;
  const last = buckets[limits.facetValuesMax - 1]?.doc_count ?? 0;
  const isOpen = all.others > 0 && (last <= bound || buckets.length <= limits.facetValuesMax);
  return isOpen || buckets.some(({ doc_count }) => doc_count < 0)
    ? undefined
    : { people: all.people - some.people, buckets, others: all.others - some.others };
}

/**
 * Counts people by fields. The engine leads each search by its rarest filter, and caches its answer until the index
 * changes. Where everyone matches and no document of a segment is deleted, it reads the counts in its dictionary, but only
 * for a search that counts one field.
 */
async function countFields(asked: FieldsAsked, { run, shards }: CountOptions): Promise<Counts> {
  const parts = partsOf(asked);
  const answers = await run(parts.map(fields => countBody({ ...asked, fields }, shards)));
  const fields = parts.flatMap((part, at) =>
    part.map(field => [field, countedOf(answers[at] as CountAnswer, field)] as const),
  );
  return { people: peopleOf(answers[0] as CountAnswer), fields: new Map(fields) };
}

/** Divides fields among searches; without fields there is one search. */
function partsOf({ fields, query, isLong }: FieldsAsked): readonly (readonly CountedField[])[] {
  const size = query === undefined ? 1 : isLong ? Math.max(fields.length, 1) : fieldsPerSearch;
  const parts = Math.max(Math.ceil(fields.length / size), 1);
  return Array.from({ length: parts }, (_, at) => fields.slice(at * size, (at + 1) * size));
}

function countBody({ fields, query, values, most: given }: FieldsAsked, shards: number): object {
  const most = given ?? (query ? limits.facetValuesMax + 1 : valuesMax);
  const aggs = fields.map((field): object => {
    const include = values?.get(field);
    return include
      ? {
          [field]: { terms: { field, include, size: include.length } },
          [valuesOf(field)]: { value_count: { field } },
        }
      : { [field]: { terms: { field, ...mostFrequent(field, most, shards) } } };
  });
  return {
    size: 0,
    track_total_hits: true,
    ...(query && { query }),
    ...(aggs.length > 0 && { aggs: Object.assign({}, ...aggs) }),
  };
}

/** Names the number of all values of a field. */
function valuesOf(field: CountedField): string {
  return `${field} values`;
}

/** Which values of a field are counted. */
function mostFrequent(field: CountedField, most: number, shards: number): object {
  if (field === 'known_lists') {
    return { size: 2 ** listFacets.length };
  }
  const isClosed = (closedFacets as readonly string[]).includes(field);
  const size = isClosed ? closedVocabularies[field as keyof typeof closedVocabularies].length : most;
  return {
    size,
    order: [{ _count: 'desc' }, { _key: 'asc' }],
    // One shard would read them all for nothing.
    ...(!isClosed && shards > 1 && { shard_size: valuesMax }),
  };
}

function peopleOf({ hits }: CountAnswer): number {
  return hits.total.value;
}

function countedOf(answer: CountAnswer, field: CountedField): Counted {
  const { buckets = [], sum_other_doc_count = 0 } = answer.aggregations?.[field] ?? {};
  const values = answer.aggregations?.[valuesOf(field)]?.value;
  const others = values === undefined ? sum_other_doc_count : values - countOf(buckets);
  return { people: peopleOf(answer), buckets, others };
}

function facetOf(name: PeopleFacetName, counts: Counts['fields']): PeopleFacet {
  const { people, buckets, others } = counts.get(name) as Counted;
  let unknown = people - countOf(buckets) - others;
  if (hasLists(name)) {
    const lists = counts.get('known_lists') as Counted;
    unknown = lists.people - countOf(lists.buckets.filter(({ key }) => key.split('+').includes(name)));
  }
  const values = buckets.map(({ key, doc_count }) => ({ value: key, count: doc_count }));
  if ((openFacets as readonly string[]).includes(name)) {
    const max = limits.facetValuesMax;
    return { values: values.slice(0, max), unknown, more: values.length > max };
  }
  const counted = new Map(values.map(({ value, count }) => [value, count]));
  const whole = closedVocabularies[name as keyof typeof closedVocabularies];
  return {
    values: whole.map(value => ({ value, count: counted.get(value) ?? 0 })),
    unknown,
    more: false,
  };
}

function countOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { doc_count }) => sum + doc_count, 0);
}
