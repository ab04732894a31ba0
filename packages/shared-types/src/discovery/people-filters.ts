import { z } from 'zod';
import { savedListId } from '../ids.ts';
import { limits } from '../limits.ts';
import { anyOf, companyDomain, filterValue, foundedYear, oneOf, range } from './filter-parts.ts';
import { wordsOfName } from './name-words.ts';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

/** A name of a person, whole or in part. Its words are bounded because each is compared with every name. */
const personName = filterValue.refine(
  text => wordsOfName(text).length <= limits.personNameWordsMax,
  `must have at most ${limits.personNameWordsMax} words`,
);

const fundingUsd = z.int().min(0).max(limits.fundingUsdMax);

const countryCode = filterValue.overwrite(text => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : text));

/** Describes a filter that excludes the values of another one. */
function excluding(what: string, unknown: string): string {
  return `${what} to exclude; ${unknown} not excluded.`;
}

const unknownPeople = 'people for whom it is unknown are';
const unknownCompanies = 'people for whose company it is unknown are';

/**
 * Filters for people. A person matches if every given filter holds; a filter holds if any of its values matches, and
 * one that excludes if none does. Values of a vocabulary are free text here, because an unknown value fails with
 * `unknown_filter_value` and the nearest known values, which a schema could not name. Parsing is idempotent.
 */
export const peopleFilters = z
  .strictObject({
    person_names: anyOf(
      personName,
      `Names of people, such as \`ada lovelace\` or \`a lovelace\`: each word of a value begins another word of the person’s name, in any order. Case, accents and punctuation do not matter. At most ${limits.personNameWordsMax} words each.`,
      limits.personNamesMax,
    ),
    excluded_person_names: anyOf(personName, 'Names of people to exclude.', limits.personNamesMax),
    job_titles: anyOf(
      filterValue,
      'Job titles, in any word order; `CEO` also finds chief executive officers.',
    ),
    job_title_match: z
      .enum(['similar', 'exact'])
      .optional()
      .describe(
        '`exact` matches job titles (`job_titles`, `excluded_job_titles`) exactly. Defaults to `similar`.',
      ),
    excluded_job_titles: anyOf(filterValue, 'Job titles to exclude.'),
    seniorities: anyOf(filterValue, oneOf(seniorities)),
    excluded_seniorities: anyOf(filterValue, excluding('Seniorities', unknownPeople)),
    departments: anyOf(filterValue, oneOf(departments)),
    excluded_departments: anyOf(filterValue, excluding('Departments', unknownPeople)),
    company_names: anyOf(filterValue, 'Company names; legal forms such as `Inc.` are ignored.'),
    excluded_company_names: anyOf(filterValue, 'Company names to exclude.'),
    company_domains: anyOf(companyDomain, 'Company domains.'),
    excluded_company_domains: anyOf(companyDomain, 'Company domains to exclude.'),
    saved_lists: anyOf(
      savedListId,
      'IDs of saved lists: people on a list of people, or at the companies and domains on a list of companies.',
    ),
    excluded_saved_lists: anyOf(
      savedListId,
      'IDs of saved lists whose people, or the people at whose companies and domains, to exclude.',
    ),
    countries: anyOf(countryCode, 'Country codes of people’s locations (ISO 3166-1 alpha-2, such as `DE`).'),
    excluded_countries: anyOf(countryCode, excluding('Country codes', unknownPeople)),
    regions: anyOf(filterValue, 'Regions of people’s locations, such as `Bavaria`.'),
    excluded_regions: anyOf(filterValue, excluding('Regions', unknownPeople)),
    cities: anyOf(filterValue, 'Cities of people’s locations.'),
    excluded_cities: anyOf(filterValue, excluding('Cities', unknownPeople)),
    industries: anyOf(filterValue, 'Company industries, as named in the vocabulary.'),
    excluded_industries: anyOf(filterValue, excluding('Industries', unknownCompanies)),
    company_sizes: anyOf(filterValue, `Company size by employees. ${oneOf(companySizes)}`),
    excluded_company_sizes: anyOf(filterValue, excluding('Company sizes', unknownCompanies)),
    revenues: anyOf(filterValue, `Annual revenue of the company. ${oneOf(revenues)}`),
    excluded_revenues: anyOf(filterValue, excluding('Annual revenues', unknownCompanies)),
    company_types: anyOf(filterValue, oneOf(companyTypes)),
    excluded_company_types: anyOf(filterValue, excluding('Company types', unknownCompanies)),
    company_technologies: anyOf(
      filterValue,
      'Technologies that the company uses, such as `Salesforce`. Case, accents and punctuation do not matter.',
    ),
    excluded_company_technologies: anyOf(
      filterValue,
      'Technologies to exclude; companies whose technologies are unknown are not excluded.',
    ),
    company_founded: range(
      foundedYear,
      'Years in which the company was founded, from `min` to `max`, both included; companies whose year is unknown do not match.',
    ),
    excluded_company_founded: range(foundedYear, excluding('Years of founding', unknownCompanies)),
    company_funding: range(
      fundingUsd,
      'Total funding of the company in US dollars, from `min` to `max`, both included; companies whose funding is unknown do not match.',
    ),
    excluded_company_funding: range(fundingUsd, excluding('Total funding', unknownCompanies)),
    keywords: anyOf(filterValue, 'Skills and keywords of people.'),
    excluded_keywords: anyOf(filterValue, excluding('Keywords', 'people without keywords are')),
    keyword_match: z
      .enum(['any', 'all'])
      .optional()
      .describe('Whether people must have `any` or all of the `keywords`. Defaults to `any`.'),
    keyword_terms: z
      .enum(['whole', 'words'])
      .optional()
      .describe(
        `With \`words\`, values of \`keywords\` and \`excluded_keywords\` also match a part of a keyword, in whole words: \`learning\` finds \`machine learning\`. Parts have at most ${limits.keywordPartWordsMax} words. Defaults to \`whole\`.`,
      ),
  })
  .meta({ id: 'PeopleFilters' });

export type PeopleFilters = z.output<typeof peopleFilters>;

/** The facets with a fixed set of values; each has the name of its filter. */
export const closedFacets = [
  'seniorities',
  'departments',
  'company_sizes',
  'revenues',
  'company_types',
] as const satisfies readonly (keyof PeopleFilters)[];

/** The facets whose values come from the store. */
export const openFacets = [
  'industries',
  'company_technologies',
  'countries',
  'regions',
  'cities',
  'job_titles',
  'keywords',
] as const satisfies readonly (keyof PeopleFilters)[];

export const peopleFacetNames = [...closedFacets, ...openFacets] as const;

export type ClosedFacet = (typeof closedFacets)[number];
export type OpenFacet = (typeof openFacets)[number];
export type PeopleFacetName = (typeof peopleFacetNames)[number];

const count = z.int().min(0);

/** The number of people who match each value of a facet. */
const facet = z
  .object({
    values: z
      .array(z.object({ value: z.string(), count }))
      .max(limits.facetValuesMax)
      .describe(
        'All values of a fixed vocabulary, in order; for other filters the most frequent values first.',
      ),
    unknown: count.describe('People for whom the value is unknown.'),
    more: z.boolean().describe('Whether there are more values than these.'),
  })
  .meta({ id: 'PeopleFacet' });

export type PeopleFacet = z.output<typeof facet>;

/**
 * Exact counts. The counts of a facet include the people whom all other filters match, so that they predict the effect
 * of another choice; job titles, keywords and technologies are each counted separately.
 */
export const peopleFacets = z
  .object(
    Object.fromEntries(peopleFacetNames.map(name => [name, facet])) as Record<PeopleFacetName, typeof facet>,
  )
  .meta({ id: 'PeopleFacets' });

export type PeopleFacets = z.output<typeof peopleFacets>;

/** The values of filters that were read as others. */
export const readValues = z
  .array(
    z.object({
      filter: z.string().describe('The filter, such as `regions`.'),
      value: z.string().describe('The value in the request, such as `Bayern`.'),
      read_as: z.array(z.string()).describe('The values that it was read as, such as `Bavaria`.'),
    }),
  )
  .describe(
    'Countries and regions that the store has under another name, and what they were read as; left out if there are none.',
  )
  .meta({ id: 'ReadValues' });

export type ReadValues = z.output<typeof readValues>;
