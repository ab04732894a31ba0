import { z } from 'zod';
import { limits } from '../limits.ts';
import { anyOf, filterValue, oneOf } from './filter-parts.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

/** A company as people name it: a domain, or the address of a page of its site. The service finds the domain in it. */
export const namedSite = z.string().trim().min(1).max(limits.profileUrlCharactersMax);

/**
 * Which companies may be an answer: every filter that is given has to hold, and a filter holds when any of its values
 * does. Values of a vocabulary stand as free text, since an unknown one is answered with `unknown_filter_value`, which
 * names the known ones. Parsing its own output changes nothing.
 */
export const companyFilters = z
  .strictObject({
    countries: anyOf(
      filterValue.overwrite(text => text.toUpperCase()),
      'Countries, by their codes of ISO 3166-1 (`DE`).',
    ),
    industries: anyOf(filterValue, 'Industries, as the vocabulary names them.'),
    company_sizes: anyOf(filterValue, `Employees. ${oneOf(companySizes)}`),
    revenues: anyOf(filterValue, `Annual revenue. ${oneOf(revenues)}`),
    company_types: anyOf(filterValue, oneOf(companyTypes)),
    excluded_domains: anyOf(
      namedSite,
      'Companies that are not wanted, such as customers: domains, or addresses of their sites.',
    ),
  })
  .meta({ id: 'CompanyFilters' });

export type CompanyFilters = z.output<typeof companyFilters>;
