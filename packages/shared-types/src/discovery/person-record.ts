import { z } from 'zod';
import { companyId, discoveryRunId, personId } from '../ids.ts';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

const count = z.int().nonnegative();

/** Where a field comes from. */
export const recordSource = z
  .object({
    kind: z
      .enum(['import', 'synthetic', 'page'])
      .describe('`import`: a data set. `synthetic`: invented. `page`: a public page.'),
    name: z.string().describe('The data set or the page.'),
    licence: z.string().describe('The licence under which the operator has it.'),
    retrieved_on: z.iso.date().describe('When the source said so.'),
  })
  .meta({ id: 'RecordSource' });

export type RecordSource = z.output<typeof recordSource>;

export const recordLocation = z
  .object({
    city: z.string().nullable().describe('Null where it is not known, as is the region.'),
    region: z.string().nullable().describe('State or province.'),
    country: z.string().nullable().describe('ISO 3166-1, two letters.'),
  })
  .meta({ id: 'RecordLocation' });

const personCompany = z.object({
  company_id: companyId.nullable().describe('Null where the store knows the company by its name alone.'),
  name: z.string().nullable().describe('As the source writes it.'),
  domain: z.string().nullable().describe('Registrable domain, as an A-label.'),
});

/** What a preview shows of a person. */
const previewFields = {
  person_id: personId,
  name: z.string().describe('The whole name.'),
  job_title: z.string().nullable().describe('What the person does.'),
  headline: z.string().nullable().describe('What they say of themselves.'),
  company: personCompany,
  location: recordLocation,
  industry: z.string().nullable().describe('Of the company, as are its size and revenue.'),
  seniority: z.enum(seniorities).nullable().describe('How high they stand.'),
  department: z.enum(departments).nullable().describe('Where they work.'),
  company_size: z.enum(companySizes).nullable().describe('Band of the company’s employees.'),
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
  annual_revenue_usd: count.nullable().describe('The company’s, in US dollars, where it is known exactly.'),
  keywords: z.array(z.string()).describe('What they know or do.'),
  company_type: z.enum(companyTypes).nullable().describe('Legal kind of the company.'),
  website: z.string().nullable().describe('The person’s own, or else the company’s.'),
  follower_count: count.nullable().describe('Followers on the network.'),
  connection_count: count.nullable().describe('Connections on the network.'),
  profile_badges: z.array(z.string()).describe('Marks that the network gives, such as `verified`.'),
  profile_url: z.string().describe('The profile’s canonical URL.'),
  source: recordSource.describe('Where the person’s record comes from, unless a field says otherwise.'),
  run_id: discoveryRunId.describe('The run that saved them.'),
  saved_at: z.iso.datetime().describe('When the run saved them.'),
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
