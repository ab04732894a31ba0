import { z } from 'zod';
import { companyId, discoveryRunId, peopleImportId, personId } from '../ids.ts';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

const count = z.int().nonnegative();

/** The source of a field. */
export const recordSource = z
  .object({
    kind: z
      .enum(['import', 'synthetic', 'page', 'own_import'])
      .describe(
        '`import`: a data set. `synthetic`: demo data. `page`: a public page. `own_import`: a file that the account imported.',
      ),
    name: z.string().describe('The data set or the page.'),
    licence: z.string().describe('The license under which the operator holds the data.'),
    retrieved_on: z.iso.date().describe('When the source stated it.'),
  })
  .meta({ id: 'RecordSource' });

export type RecordSource = z.output<typeof recordSource>;

export const recordLocation = z
  .object({
    city: z.string().nullable().describe('Null if unknown.'),
    region: z.string().nullable().describe('State or province.'),
    country: z.string().nullable().describe('Country code (ISO 3166-1 alpha-2).'),
  })
  .meta({ id: 'RecordLocation' });

const personCompany = z.object({
  company_id: companyId.nullable().describe('Null if the store knows the company only by name.'),
  name: z.string().nullable().describe('As spelled by the source.'),
  domain: z.string().nullable().describe('Registrable domain, as an A-label.'),
});

/** The fields of a person that a preview shows. */
const previewFields = {
  person_id: personId,
  name: z.string().describe('Full name.'),
  job_title: z.string().nullable().describe('Job title.'),
  headline: z.string().nullable().describe('The person’s own headline.'),
  company: personCompany,
  location: recordLocation,
  industry: z.string().nullable().describe('The company’s industry.'),
  seniority: z.enum(seniorities).nullable().describe('Seniority.'),
  department: z.enum(departments).nullable().describe('Department.'),
  company_size: z.enum(companySizes).nullable().describe('Employee range of the company.'),
  is_synthetic: z.boolean().describe('True for a synthetic person in demo data.'),
};

/** A person as shown in a preview. */
export const previewedPerson = z
  .object({ ...previewFields, is_saved: z.boolean().describe('Whether the account has saved this person.') })
  .meta({ id: 'PreviewedPerson' });

export type PreviewedPerson = z.output<typeof previewedPerson>;

const savedFields = {
  ...previewFields,
  first_name: z
    .string()
    .nullable()
    .describe(
      'First and middle names, as the source gives them or split from `name`. Null for a name of one word.',
    ),
  last_name: z.string().nullable().describe('Last name with its particle; a name of one word.'),
  revenue: z.enum(revenues).nullable().describe('Annual revenue range of the company in US dollars.'),
  annual_revenue_usd: count
    .nullable()
    .describe('Annual revenue of the company in US dollars, if known exactly.'),
  keywords: z.array(z.string()).describe('Skills or specialties.'),
  company_type: z.enum(companyTypes).nullable().describe('Legal type of the company.'),
  website: z.string().nullable().describe('The person’s own, otherwise the company’s.'),
  follower_count: count.nullable().describe('Followers on the network.'),
  connection_count: count.nullable().describe('Connections on the network.'),
  profile_badges: z.array(z.string()).describe('Profile badges, such as `verified`.'),
  profile_url: z.string().describe('The profile’s canonical URL.'),
  source: recordSource.describe('Source of the person’s record, unless a field states otherwise.'),
  run_id: discoveryRunId.nullable().describe('The run that saved the person. Null for an imported one.'),
  import_id: peopleImportId
    .nullable()
    .describe('The import that last changed the person. Null for one saved from the store.'),
  saved_at: z.iso.datetime().describe('When the person was saved or first imported.'),
  updated_at: z.iso.datetime().describe('When the person’s record last changed.'),
};

/** A person whom the account has saved or imported. A person's record never has an email address. */
export const savedPerson = z.object(savedFields).meta({ id: 'SavedPerson' });

export type SavedPerson = z.output<typeof savedPerson>;

/** A saved person with the source of each known field. */
export const savedPersonWithProvenance = z
  .object({
    ...savedFields,
    provenance: z.record(z.string(), recordSource).describe('The source of each known field, by field name.'),
  })
  .meta({ id: 'SavedPersonWithProvenance' });
