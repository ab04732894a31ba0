import { z } from 'zod';
import { companySizes, companyTypes, departments, revenues, seniorities } from './vocabularies.ts';

const count = z.int().nonnegative();
const text = z.string().min(1);
const words = z.array(text).min(1);

/**
 * What a customer gets to know of a profile. Every field is there only where it is known; never an email address. The
 * first four are those of the specification, "Profile enrichment result".
 */
export const enrichedProfile = z
  .object({
    first_name: text.optional().describe('Person’s first name.'),
    last_name: text.optional().describe('Person’s last name.'),
    headline: text.optional().describe('Headline or title from the profile.'),
    company: text
      .optional()
      .describe('Primary company of the person; of an organisation’s profile, the organisation.'),
    kind: z.enum(['person', 'organisation']).optional().describe('Whom the profile is of.'),
    profile_url: text.optional().describe('The profile’s canonical URL.'),
    full_name: text.optional().describe('The whole name, as the source writes it.'),
    job_title: text.optional().describe('What the person does.'),
    seniority: z
      .enum(seniorities)
      .optional()
      .describe('How high they stand; read from the job title where the source does not say it.'),
    department: z
      .enum(departments)
      .optional()
      .describe('Where they work; read from the job title where the source does not say it.'),
    company_domain: text.optional().describe('Registrable domain of the company.'),
    description: text.optional().describe('What the organisation says of itself.'),
    industry: text.optional().describe('Of the company, in the words of the vocabulary where they fit.'),
    company_type: z.enum(companyTypes).optional().describe('Legal kind of the company.'),
    company_size: z.enum(companySizes).optional().describe('Band of the company’s employees.'),
    employee_count: count.optional().describe('Employees of the organisation.'),
    revenue: z.enum(revenues).optional().describe('Band of the annual revenue in US dollars.'),
    founded_year: z.int().optional().describe('When the organisation was founded.'),
    country: text.optional().describe('ISO 3166-1, two letters, where the source says it so.'),
    region: text.optional().describe('State or province.'),
    city: text.optional().describe('City.'),
    website: text.optional().describe('Of the person or the organisation.'),
    keywords: words.optional().describe('What they know or do, in the source’s words.'),
    follower_count: count.optional().describe('Followers on the network.'),
    connection_count: count.optional().describe('Connections on the network.'),
    profile_badges: words.optional().describe('Marks that the network gives, such as `verified`.'),
    is_synthetic: z
      .literal(true)
      .optional()
      .describe('Of an invented person or company, as demonstrations have them.'),
  })
  .meta({ id: 'EnrichedProfile' });

export type EnrichedProfile = z.output<typeof enrichedProfile>;

export type EnrichedField = keyof EnrichedProfile;

/** A profile counts as found, and is charged, when one of these is known. */
export const decisiveFields = ['first_name', 'last_name', 'headline', 'company'] as const;

export const profileSourceKinds = ['import', 'synthetic', 'own_provider', 'page'] as const;

/** Where a field comes from. */
export const fieldProvenance = z
  .object({
    source: z.string().describe('The data set, your provider by its name, or the page.'),
    kind: z
      .enum(profileSourceKinds)
      .describe(
        '`import`: a data set in the store. `synthetic`: invented. `own_provider`: the account’s own provider. `page`: a public page.',
      ),
    licence: z.string().describe('The licence under which the operator has it.'),
    date: z.iso.date().describe('When the source said so.'),
  })
  .meta({ id: 'FieldProvenance' });

export type FieldProvenance = z.output<typeof fieldProvenance>;

/** By the name of the field. */
export const profileProvenance = z.record(z.string(), fieldProvenance);

export type ProfileProvenance = Readonly<Partial<Record<EnrichedField, FieldProvenance>>>;
