import type { ClosedFacet, OpenFacet } from '@mailproof/shared-types';
import { wordsOfName } from '@mailproof/shared-types/name-words';
import { wordsOfTitle } from '../titles/title-words.ts';
import { closedVocabularies } from './check-filters.ts';
import { keyOfText } from './columns/column.ts';
import { type IndexedCompany, keyOfCompanyName } from './columns/company-columns.ts';
import type { IndexedPerson } from './columns/people-columns.ts';
import { keyOfTitle, partsOfKeyword } from './columns/text-columns.ts';

/**
 * A person as a search engine indexes them: values that are compared as a whole, so the engine needs no rules about
 * text. Fields of facets have the names of their facets.
 */
export interface SearchDocument {
  readonly person_no: number;
  /** See `startsOfName`. */
  readonly name_starts: readonly string[];
  readonly job_titles: string | undefined;
  readonly title_words: readonly string[];
  readonly seniorities: string | undefined;
  readonly departments: string | undefined;
  readonly countries: string | undefined;
  readonly regions: string | undefined;
  readonly cities: string | undefined;
  readonly keywords: readonly string[];
  /** The parts of keywords that are not whole keywords of the person. */
  readonly keyword_parts: readonly string[];
  readonly company_no: number | undefined;
  readonly company_name: string | undefined;
  readonly company_domain: string | undefined;
  readonly company_sizes: string | undefined;
  readonly revenues: string | undefined;
  readonly company_types: string | undefined;
  readonly industries: string | undefined;
  readonly company_technologies: readonly string[];
  readonly company_founded: number | undefined;
  readonly company_funding: number | undefined;
  /** The facets with lists of values of which the person has any, as one word: the others are unknown. */
  readonly known_lists: string;
  /** The spellings of the values of facets, as the store has them. */
  readonly spelled: Readonly<Record<OpenFacet, readonly string[]>>;
}

/** The facets of which a person can have several values. */
export const listFacets = ['keywords', 'company_technologies'] as const;

/** Joins a person with their company; the fields of a company that is gone are unknown. */
export function documentOf(person: IndexedPerson, company: IndexedCompany | undefined): SearchDocument {
  const lists = {
    keywords: keysOf('keywords', person.keywords),
    company_technologies: keysOf('company_technologies', company?.technologies ?? []),
  };
  const name = person.companyNo === null ? person.companyName : (company?.name ?? null);
  const spelled = {
    job_titles: listOf(person.jobTitle),
    countries: listOf(person.country),
    regions: listOf(person.region),
    cities: listOf(person.city),
    keywords: person.keywords,
    industries: listOf(company?.industry),
    company_technologies: company?.technologies ?? [],
  };
  return {
    person_no: person.personNo,
    name_starts: startsOfName(person.fullName),
    job_titles: keysOf('job_titles', spelled.job_titles)[0],
    title_words: person.jobTitle === null ? [] : [...wordsOfTitle(person.jobTitle)],
    seniorities: known('seniorities', person.seniority),
    departments: known('departments', person.department),
    countries: keysOf('countries', spelled.countries)[0],
    regions: keysOf('regions', spelled.regions)[0],
    cities: keysOf('cities', spelled.cities)[0],
    keywords: lists.keywords,
    keyword_parts: partsOf(lists.keywords),
    // Also if the company is gone: the person is found by it and read again.
    company_no: person.companyNo ?? undefined,
    company_name: name === null ? undefined : keyOfCompanyName(name) || undefined,
    company_domain: company?.domain ?? undefined,
    company_sizes: known('company_sizes', company?.companySize),
    revenues: known('revenues', company?.revenue),
    company_types: known('company_types', company?.companyType),
    industries: keysOf('industries', spelled.industries)[0],
    company_technologies: lists.company_technologies,
    company_founded: company?.foundedYear ?? undefined,
    company_funding: company?.fundingUsd ?? undefined,
    known_lists: listFacets.filter(facet => lists[facet].length > 0).join('+'),
    spelled,
  };
}

function partsOf(keywords: readonly string[]): string[] {
  const parts = new Set(keywords.flatMap(partsOfKeyword));
  for (const keyword of keywords) {
    parts.delete(keyword);
  }
  return [...parts];
}

/** Returns the key under which values of a facet are the same value. */
export function keyOf(facet: OpenFacet, value: string): string {
  return facet === 'job_titles' ? keyOfTitle(value) : keyOfText(value);
}

/** Returns the distinct keys of values; a value without a key counts as unknown. */
function keysOf(facet: OpenFacet, values: readonly string[]): string[] {
  return [...new Set(values.map(value => keyOf(facet, value)))].filter(key => key !== '');
}

function known(facet: ClosedFacet, value: string | null | undefined): string | undefined {
  return closedVocabularies[facet].find(each => each === value);
}

function listOf(value: string | null | undefined): readonly string[] {
  return value == null ? [] : [value];
}

/**
 * The beginnings of the words of a name, each with a number: `jo jones` has `j 1`, `jo 1`, `j 2`, `jo 2`, `jon 1`,
 * `jone 1` and `jones 1`, because two of its words begin with `jo`.
 */
export function startsOfName(name: string): string[] {
  const counts = new Map<string, number>();
  const starts: string[] = [];
  for (const word of wordsOfName(name)) {
    let start = '';
    for (const letter of word) {
      start += letter;
      const count = (counts.get(start) ?? 0) + 1;
      counts.set(start, count);
      starts.push(numbered(start, count));
    }
  }
  return starts;
}

/**
 * The numbered beginnings that a person's name must have so that each word of the asked name begins another word of it:
 * as many words begin with `j` as asked words do (Hall's condition, for sets that are nested or disjoint). Empty if the
 * asked name has no words, and so matches no one.
 */
export function startsAsked(name: string): string[] {
  const words = wordsOfName(name);
  return [
    ...new Set(words.map(word => numbered(word, words.filter(other => other.startsWith(word)).length))),
  ];
}

function numbered(start: string, count: number): string {
  return `${start} ${count}`;
}
