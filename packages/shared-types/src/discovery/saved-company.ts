import { z } from 'zod';
import { companyId, discoveryRunId } from '../ids.ts';
import { recordLocation, recordSource } from './person-record.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

const count = z.int().nonnegative();

/** A company that the account has paid for, as its lists show it. */
export const savedCompany = z
  .object({
    company_id: companyId,
    name: z.string().describe('As the source writes it.'),
    domain: z.string().nullable().describe('Registrable domain, as an A-label.'),
    website: z.string().nullable().describe('The address of its site.'),
    description: z.string().nullable().describe('What it says of itself.'),
    industry: z.string().nullable().describe('In the words of the vocabulary.'),
    keywords: z.array(z.string()).describe('What it does, in the source’s words.'),
    categories: z.array(z.string()).describe('How the source files it.'),
    company_type: z.enum(companyTypes).nullable().describe('Legal kind.'),
    location: recordLocation,
    employee_count: count.nullable().describe('Where it is known exactly.'),
    company_size: z.enum(companySizes).nullable().describe('Band of its employees.'),
    annual_revenue_usd: count.nullable().describe('In US dollars, where it is known exactly.'),
    revenue: z.enum(revenues).nullable().describe('Band of the annual revenue in US dollars.'),
    funding_usd: count.nullable().describe('Raised so far, in US dollars.'),
    profile_url: z.string().nullable().describe('Its profile on a network.'),
    is_synthetic: z.boolean().describe('True for an invented company, as demonstrations have them.'),
    source: recordSource,
    run_id: discoveryRunId.describe('The run that delivered it.'),
    paid_at: z.iso.datetime().describe('When the run delivered it.'),
  })
  .meta({ id: 'SavedCompany' });

export type SavedCompany = z.output<typeof savedCompany>;
