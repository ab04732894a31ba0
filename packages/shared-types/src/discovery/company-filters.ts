import { z } from 'zod';
import { savedListId } from '../ids.ts';
import { limits } from '../limits.ts';
import { anyOf, filterValue, oneOf } from './filter-parts.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

/** A company, named by its domain or by the URL of a page on its site. The service extracts the domain. */
export const namedSite = z.string().trim().min(1).max(limits.profileUrlCharactersMax);

/**
 * Filters for companies. A company matches if every given filter holds; a filter holds if any of its values matches.
 * Values of a vocabulary are free text here, because an unknown value fails with `unknown_filter_value`, which names
 * the known ones. Parsing is idempotent.
 */
export const companyFilters = z
  .strictObject({
    countries: anyOf(
      filterValue.overwrite(text => text.toUpperCase()),
      'Country codes (ISO 3166-1 alpha-2, such as `DE`).',
    ),
    industries: anyOf(filterValue, 'Industries, as named in the vocabulary.'),
    company_sizes: anyOf(filterValue, `Employees. ${oneOf(companySizes)}`),
    revenues: anyOf(filterValue, `Annual revenue. ${oneOf(revenues)}`),
    company_types: anyOf(filterValue, oneOf(companyTypes)),
    excluded_domains: anyOf(namedSite, 'Companies to exclude, such as customers: domains or website URLs.'),
    excluded_saved_lists: anyOf(
      savedListId,
      'IDs of saved lists of companies, whose companies and domains to exclude.',
    ),
  })
  .meta({ id: 'CompanyFilters' });

export type CompanyFilters = z.output<typeof companyFilters>;
