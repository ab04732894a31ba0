import { z } from 'zod';
import { type peopleFacetNames, peopleFacets, peopleFilters } from './people-filters.ts';

const of = peopleFilters.shape;

function excluding(what: string): string {
  return `${what} to exclude; companies for which it is unknown are not excluded.`;
}

const unknownDoNotMatch = 'companies for which it is unknown do not match.';

/**
 * Filters for companies: those of people that are about companies, under the same names and with the same values, so
 * that filters of one search can be copied into another. Places and keywords are those of the company itself. A
 * company matches if every given filter holds (see `peopleFilters`). Parsing is idempotent.
 */
export const companySearchFilters = z
  .strictObject({
    company_names: of.company_names,
    excluded_company_names: of.excluded_company_names,
    company_domains: of.company_domains,
    excluded_company_domains: of.excluded_company_domains,
    saved_lists: of.saved_lists.describe(
      'IDs of saved lists: only the companies and domains on a list of companies, or the companies at which the people on a list of people work.',
    ),
    excluded_saved_lists: of.excluded_saved_lists.describe(
      'IDs of saved lists: excludes the companies and domains on them, and those at which the people on them work.',
    ),
    countries: of.countries.describe('Country codes of headquarters (ISO 3166-1 alpha-2, such as `DE`).'),
    excluded_countries: of.excluded_countries.describe(excluding('Country codes')),
    regions: of.regions.describe('Regions of headquarters, such as `Bavaria`.'),
    excluded_regions: of.excluded_regions.describe(excluding('Regions')),
    cities: of.cities.describe('Cities of headquarters.'),
    excluded_cities: of.excluded_cities.describe(excluding('Cities')),
    industries: of.industries.describe('Industries, as counted in the facet.'),
    excluded_industries: of.excluded_industries.describe(excluding('Industries')),
    company_sizes: of.company_sizes,
    excluded_company_sizes: of.excluded_company_sizes.describe(excluding('Company sizes')),
    revenues: of.revenues,
    excluded_revenues: of.excluded_revenues.describe(excluding('Annual revenues')),
    company_types: of.company_types,
    excluded_company_types: of.excluded_company_types.describe(excluding('Company types')),
    company_technologies: of.company_technologies,
    excluded_company_technologies: of.excluded_company_technologies,
    company_founded: of.company_founded,
    excluded_company_founded: of.excluded_company_founded.describe(excluding('Years of founding')),
    company_funding: of.company_funding.describe(
      `Total funding in US dollars, from \`min\` to \`max\`, both included; ${unknownDoNotMatch}`,
    ),
    excluded_company_funding: of.excluded_company_funding.describe(excluding('Total funding')),
    keywords: of.keywords.describe('Keywords of companies.'),
    excluded_keywords: of.excluded_keywords.describe(
      'Keywords to exclude; companies without keywords are not excluded.',
    ),
    keyword_match: of.keyword_match.describe(
      'Whether companies must have `any` or all of the `keywords`. Defaults to `any`.',
    ),
    keyword_terms: of.keyword_terms,
  })
  .meta({ id: 'CompanySearchFilters' });

export type CompanySearchFilters = z.output<typeof companySearchFilters>;

/** The facets of companies; each has the name of its filter. */
export const companyFacetNames = [
  'industries',
  'company_sizes',
  'revenues',
  'company_types',
  'company_technologies',
  'countries',
  'regions',
  'cities',
  'keywords',
] as const satisfies readonly (typeof peopleFacetNames)[number][];

/** The number of companies that match each value of a facet. */
const facet = peopleFacets.shape.industries
  .extend({ unknown: z.int().min(0).describe('Companies for which the value is unknown.') })
  .meta({ id: 'CompanyFacet' });

/**
 * Exact counts. The counts of a facet include the companies that all other filters match, so that they predict the
 * effect of another choice; keywords and technologies are each counted separately.
 */
export const companyFacets = z
  .object(
    Object.fromEntries(companyFacetNames.map(name => [name, facet])) as Record<
      (typeof companyFacetNames)[number],
      typeof facet
    >,
  )
  .meta({ id: 'CompanyFacets' });

export type CompanyFacets = z.output<typeof companyFacets>;
