import { z } from 'zod';
import { parseDomainName } from '../email-address/domain-name.ts';
import { limits } from '../limits.ts';
import { anyOf, filterValue, oneOf } from './filter-parts.ts';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

/** A domain, in A-labels; not by `domainName`, since filters stand in answers too, where nothing is transformed. */
const companyDomain = z
  .string()
  .max(1_000)
  .overwrite(text => {
    const parsed = parseDomainName(text.trim().replace(/\.$/, ''));
    return parsed.ok ? parsed.value.ascii : text;
  })
  .refine(text => parseDomainName(text).ok, 'must be a domain');

/**
 * Which people a search is for: a person belongs to it when every filter that is given holds, and a filter holds when
 * any of its values does. Values of a vocabulary stand as free text here, since an unknown one is answered with
 * `unknown_filter_value` and the nearest known ones, which a schema could not name. Parsing its own output changes nothing.
 */
export const peopleFilters = z
  .strictObject({
    job_titles: anyOf(
      filterValue,
      'Job titles, in any order of words; `CEO` finds chief executive officers too.',
    ),
    job_title_match: z
      .enum(['similar', 'exact'])
      .optional()
      .describe(
        '`exact` takes job titles (`job_titles`, `excluded_job_titles`) as they are written. `similar` if left out.',
      ),
    excluded_job_titles: anyOf(filterValue, 'Job titles whose holders are left out.'),
    seniorities: anyOf(filterValue, oneOf(seniorities)),
    departments: anyOf(filterValue, oneOf(departments)),
    company_names: anyOf(filterValue, 'Names of companies; legal forms such as `Inc.` mean nothing.'),
    company_domains: anyOf(companyDomain, 'Domains of companies.'),
    excluded_company_domains: anyOf(companyDomain, 'Domains of companies whose people are left out.'),
    countries: anyOf(
      filterValue.overwrite(text => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : text)),
      'Countries where people are, by their codes of ISO 3166-1 (`DE`).',
    ),
    regions: anyOf(filterValue, 'Regions where people are, such as `Bavaria`.'),
    cities: anyOf(filterValue, 'Cities where people are.'),
    industries: anyOf(filterValue, 'Industries of companies, as the vocabulary names them.'),
    company_sizes: anyOf(filterValue, `Employees of companies. ${oneOf(companySizes)}`),
    revenues: anyOf(filterValue, `Annual revenue of companies. ${oneOf(revenues)}`),
    company_types: anyOf(filterValue, oneOf(companyTypes)),
    keywords: anyOf(filterValue, 'Keywords of people.'),
    keyword_match: z
      .enum(['any', 'all'])
      .optional()
      .describe('Whether people need one of the keywords or all of them. `any` if left out.'),
  })
  .meta({ id: 'PeopleFilters' });

export type PeopleFilters = z.output<typeof peopleFilters>;

/** The facets by which people are counted; each bears the name of its filter. */
export const closedFacets = [
  'seniorities',
  'departments',
  'company_sizes',
  'revenues',
  'company_types',
] as const satisfies readonly (keyof PeopleFilters)[];

/** Facets whose values are what the store holds. */
export const openFacets = [
  'industries',
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

/** How many people each value of a facet would find. */
const facet = z.object({
  values: z
    .array(z.object({ value: z.string(), count }))
    .max(limits.facetValuesMax)
    .describe('A fixed vocabulary whole and in its order; of the others the most frequent values first.'),
  unknown: count.describe('People of whom it is not known.'),
  more: z.boolean().describe('Whether there are values beyond these.'),
});

export type PeopleFacet = z.output<typeof facet>;

/**
 * Exact counts. Those of a facet are of the people whom all filters but its own find, so that they say what another
 * choice would bring; of job titles and keywords they are of single titles and keywords.
 */
export const peopleFacets = z
  .object(
    Object.fromEntries(peopleFacetNames.map(name => [name, facet])) as Record<PeopleFacetName, typeof facet>,
  )
  .meta({ id: 'PeopleFacets' });

export type PeopleFacets = z.output<typeof peopleFacets>;
