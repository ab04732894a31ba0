import { z } from 'zod';
import { limits } from '../limits.ts';

/** Words of a vocabulary that is checked by the service, which answers 422 `unknown_filter_value` and what there is. */
const words = z
  .array(z.string().trim().min(1).max(limits.filterValueCharactersMax))
  .max(limits.filterValuesMax)
  .default([]);

/** Which companies may be an answer: within a filter any of its values, and all filters together. */
export const companyFilters = z
  .strictObject({
    countries: words.describe('ISO 3166-1 alpha-2, such as `DE`.'),
    industries: words.describe('Industries, in the words of the vocabulary.'),
    company_sizes: words.describe('Bands of employees, such as `51-200`.'),
    revenues: words.describe('Bands of yearly revenue, such as `$1-10M`.'),
    company_types: words.describe('Types, such as `private`.'),
    excluded_domains: z
      .array(z.string().trim().min(1).max(limits.profileUrlCharactersMax))
      .max(limits.filterValuesMax)
      .default([])
      .describe('Companies that are not wanted, such as customers: domains, or addresses of their sites.'),
  })
  .meta({ id: 'CompanyFilters' });

export type CompanyFilters = z.output<typeof companyFilters>;
