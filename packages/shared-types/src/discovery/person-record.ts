import { z } from 'zod';
import { companyId, discoveryRunId, personId } from '../ids.ts';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

const count = z.int().nonnegative();

/** Where a field comes from. */
export const recordSource = z
  .object({
    kind: z.enum(['import', 'synthetic', 'page']),
    name: z.string(),
    licence: z.string(),
    retrieved_on: z.iso.date(),
  })
  .meta({ id: 'RecordSource' });

export type RecordSource = z.output<typeof recordSource>;

export const recordLocation = z
  .object({
    city: z.string().nullable(),
    region: z.string().nullable(),
    country: z.string().nullable().describe('ISO 3166-1, two letters.'),
  })
  .meta({ id: 'RecordLocation' });

const personCompany = z.object({
  company_id: companyId.nullable().describe('Null where the store knows the company by its name alone.'),
  name: z.string().nullable(),
  domain: z.string().nullable(),
});

/** What a preview shows of a person. */
const previewFields = {
  person_id: personId,
  name: z.string(),
  job_title: z.string().nullable(),
  headline: z.string().nullable(),
  company: personCompany,
  location: recordLocation,
  industry: z.string().nullable().describe('Of the company, as are its size and revenue.'),
  seniority: z.enum(seniorities).nullable(),
  department: z.enum(departments).nullable(),
  company_size: z.enum(companySizes).nullable(),
  is_synthetic: z.boolean().describe('True for an invented person, as demonstrations have them.'),
};

/** A person as a preview shows them. */
export const previewedPerson = z
  .object({ ...previewFields, is_saved: z.boolean().describe('Whether the account has saved this person.') })
  .meta({ id: 'PreviewedPerson' });

export type PreviewedPerson = z.output<typeof previewedPerson>;

const savedFields = {
  ...previewFields,
  revenue: z.enum(revenues).nullable().describe('Band of the company’s annual revenue in US dollars.'),
  annual_revenue_usd: count.nullable(),
  keywords: z.array(z.string()),
  company_type: z.enum(companyTypes).nullable(),
  website: z.string().nullable(),
  follower_count: count.nullable(),
  connection_count: count.nullable(),
  profile_badges: z.array(z.string()),
  profile_url: z.string(),
  source: recordSource.describe('Where the person’s record comes from, unless a field says otherwise.'),
  run_id: discoveryRunId.describe('The run that saved them.'),
  saved_at: z.iso.datetime(),
};

/** A person whom the account has saved. No record of a person carries an email address. */
export const savedPerson = z.object(savedFields).meta({ id: 'SavedPerson' });

export type SavedPerson = z.output<typeof savedPerson>;

/** A saved person with the source of every field that another source than the record's has told. */
export const savedPersonWithProvenance = z
  .object({
    ...savedFields,
    provenance: z
      .record(z.string(), recordSource)
      .describe('The source of each field that is known, by the field’s name.'),
  })
  .meta({ id: 'SavedPersonWithProvenance' });
