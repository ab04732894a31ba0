import { z } from 'zod';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

const count = z.int().nonnegative();
const text = z.string().min(1);
const words = z.array(text).min(1);

/**
 * A profile as the customer receives it. Only known fields are present; an email address never is. The first four
 * fields come from the specification, "Profile enrichment result".
 */
export const enrichedProfile = z
  .object({
    first_name: text.optional().describe('First name.'),
    last_name: text.optional().describe('Last name.'),
    headline: text.optional().describe('Headline or title on the profile.'),
    company: text
      .optional()
      .describe('The person’s primary company; for an organization’s profile, the organization.'),
    kind: z
      .enum(['person', 'organisation'])
      .optional()
      .describe('Whether the profile is a person’s or an organization’s.'),
    profile_url: text.optional().describe('The profile’s canonical URL.'),
    full_name: text.optional().describe('Full name, as spelled by the source.'),
    job_title: text.optional().describe('Job title.'),
    seniority: z
      .enum(seniorities)
      .optional()
      .describe('Seniority; derived from the job title if the source does not state it.'),
    department: z
      .enum(departments)
      .optional()
      .describe('Department; derived from the job title if the source does not state it.'),
    company_domain: text.optional().describe('Registrable domain of the company.'),
    description: text.optional().describe('The organization’s own description.'),
    industry: text.optional().describe('Industry of the company, as named in the vocabulary where possible.'),
    company_type: z.enum(companyTypes).optional().describe('Legal type of the company.'),
    company_size: z.enum(companySizes).optional().describe('Employee range of the company.'),
    employee_count: count.optional().describe('Number of employees of the organization.'),
    revenue: z.enum(revenues).optional().describe('Annual revenue range in US dollars.'),
    founded_year: z.int().optional().describe('Year the organization was founded.'),
    country: text.optional().describe('Country code (ISO 3166-1 alpha-2), if the source states it.'),
    region: text.optional().describe('State or province.'),
    city: text.optional().describe('City.'),
    website: text.optional().describe('Website of the person or the organization.'),
    keywords: words.optional().describe('Skills or specialties, as named by the source.'),
    follower_count: count.optional().describe('Followers on the network.'),
    connection_count: count.optional().describe('Connections on the network.'),
    profile_badges: words.optional().describe('Profile badges, such as `verified`.'),
    is_synthetic: z.literal(true).optional().describe('True for a synthetic person or company in demo data.'),
  })
  .meta({ id: 'EnrichedProfile' });

export type EnrichedProfile = z.output<typeof enrichedProfile>;

export type EnrichedField = keyof EnrichedProfile;

/** A profile counts as found, and is charged, if at least one of these fields is known. */
export const decisiveFields = ['first_name', 'last_name', 'headline', 'company'] as const;

export const profileSourceKinds = [
  'import',
  'synthetic',
  'own_provider',
  'provider',
  'page',
  'own_import',
] as const;

/** The source of a field. */
export const fieldProvenance = z
  .object({
    source: z.string().describe('The data set, the name of your provider, or the page.'),
    kind: z
      .enum(profileSourceKinds)
      .describe(
        '`import`: a data set in the store. `synthetic`: demo data. `own_provider`: the account’s own provider. `provider`: a provider of the service. `page`: a public page. `own_import`: a file that the account imported.',
      ),
    licence: z.string().describe('The license under which the operator holds the data.'),
    date: z.iso.date().describe('When the source stated it.'),
  })
  .meta({ id: 'FieldProvenance' });

export type FieldProvenance = z.output<typeof fieldProvenance>;

/** The source of each field, by field name. */
export const profileProvenance = z.record(z.string(), fieldProvenance).meta({ id: 'ProfileProvenance' });

export type ProfileProvenance = Readonly<Partial<Record<EnrichedField, FieldProvenance>>>;
