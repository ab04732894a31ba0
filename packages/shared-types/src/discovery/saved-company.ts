import { z } from 'zod';
import { companyId, discoveryRunId } from '../ids.ts';
import { recordLocation, recordSource } from './person-record.ts';
import { companySizes, companyTypes, revenues } from './vocabularies.ts';

const count = z.int().nonnegative();

/** A company that the account has paid for, as its lists show it. */
export const savedCompany = z
  .object({
    company_id: companyId,
    name: z.string(),
    domain: z.string().nullable(),
    website: z.string().nullable(),
    description: z.string().nullable(),
    industry: z.string().nullable(),
    keywords: z.array(z.string()),
    categories: z.array(z.string()),
    company_type: z.enum(companyTypes).nullable(),
    location: recordLocation,
    employee_count: count.nullable(),
    company_size: z.enum(companySizes).nullable(),
    annual_revenue_usd: count.nullable(),
    revenue: z.enum(revenues).nullable(),
    funding_usd: count.nullable(),
    profile_url: z.string().nullable(),
    is_synthetic: z.boolean(),
    source: recordSource,
    run_id: discoveryRunId.describe('The run that delivered it.'),
    paid_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedCompany' });

export type SavedCompany = z.output<typeof savedCompany>;
