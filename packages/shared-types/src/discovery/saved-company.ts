import { z } from 'zod';
import { companyId, discoveryRunId } from '../ids.ts';
import { recordLocation, recordSource } from './person-record.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

const count = z.int().nonnegative();

/** A company that the account has paid for, as shown in lists. */
export const savedCompany = z
  .object({
    company_id: companyId,
    name: z.string().describe('As spelled by the source.'),
    domain: z.string().nullable().describe('Registrable domain, as an A-label.'),
    website: z.string().nullable().describe('Website URL.'),
    description: z.string().nullable().describe('The company’s own description.'),
    industry: z.string().nullable().describe('As named in the vocabulary.'),
    keywords: z.array(z.string()).describe('Keywords from the source.'),
    categories: z.array(z.string()).describe('The source’s own industry label.'),
    company_type: z.enum(companyTypes).nullable().describe('Legal type.'),
    location: recordLocation,
    employee_count: count.nullable().describe('Exact number, if known.'),
    company_size: z.enum(companySizes).nullable().describe('Employee range.'),
    annual_revenue_usd: count.nullable().describe('Annual revenue in US dollars, if known exactly.'),
    revenue: z.enum(revenues).nullable().describe('Annual revenue range in US dollars.'),
    funding_usd: count.nullable().describe('Total funding in US dollars.'),
    profile_url: z.string().nullable().describe('Profile URL on a network.'),
    is_synthetic: z.boolean().describe('True for a synthetic company in demo data.'),
    source: recordSource,
    run_id: discoveryRunId.describe('The run that delivered the company.'),
    paid_at: z.iso.datetime().describe('When the run delivered the company.'),
  })
  .meta({ id: 'SavedCompany' });

export type SavedCompany = z.output<typeof savedCompany>;
