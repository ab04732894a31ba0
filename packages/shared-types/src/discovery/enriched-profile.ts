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
    full_name: text.optional(),
    job_title: text.optional(),
    seniority: z.enum(seniorities).optional(),
    department: z.enum(departments).optional(),
    company_domain: text.optional().describe('Registrable domain of the company.'),
    description: text.optional().describe('What the organisation says of itself.'),
    industry: text.optional(),
    company_type: z.enum(companyTypes).optional(),
    company_size: z.enum(companySizes).optional(),
    employee_count: count.optional(),
    revenue: z.enum(revenues).optional().describe('Band of the annual revenue in US dollars.'),
    founded_year: z.int().optional(),
    country: text.optional().describe('ISO 3166-1, two letters, where the source says it so.'),
    region: text.optional(),
    city: text.optional(),
    website: text.optional(),
    keywords: words.optional(),
    follower_count: count.optional(),
    connection_count: count.optional(),
    profile_badges: words.optional(),
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
    licence: z.string(),
    date: z.iso.date().describe('When the source said so.'),
  })
  .meta({ id: 'FieldProvenance' });

export type FieldProvenance = z.output<typeof fieldProvenance>;

/** By the name of the field. */
export const profileProvenance = z.record(z.string(), fieldProvenance);

export type ProfileProvenance = Readonly<Partial<Record<EnrichedField, FieldProvenance>>>;
