import type { z } from 'zod';
import type { profileProviderSettings } from '../operations/app/profile-provider.ts';

type PresetSettings = z.input<typeof profileProviderSettings>;

/** Settings for the documented interface of a vendor. Only the values of secret headers are missing. */
export interface ProviderPreset {
  readonly label: string;
  /** The page of the vendor that describes the interface. */
  readonly documentation: string;
  readonly settings: PresetSettings;
}

const peopleDataLabsKey = [{ name: 'X-Api-Key', is_secret: true }];
const enrichLayerKey = [{ name: 'Authorization', is_secret: true }];

/**
 * Presets by name. A provider for organizations is apart from the one for people, because vendors have an endpoint for
 * each, and charge for a query at the wrong one.
 */
export const providerPresets = {
  people_data_labs: {
    label: 'People Data Labs',
    documentation: 'https://docs.peopledatalabs.com/docs/person-enrichment-api',
    settings: {
      name: 'People Data Labs',
      method: 'GET',
      url: 'https://api.peopledatalabs.com/v5/person/enrich?profile={profile_url}&titlecase=true&min_likelihood=6',
      headers: peopleDataLabsKey,
      kinds: ['person'],
      fields: {
        first_name: 'data.first_name',
        last_name: 'data.last_name',
        full_name: 'data.full_name',
        headline: 'data.headline',
        job_title: 'data.job_title',
        company: 'data.job_company_name',
        company_domain: 'data.job_company_website',
        industry: 'data.job_company_industry',
        country: 'data.location_country',
        region: 'data.location_region',
        city: 'data.location_locality',
        keywords: 'data.skills',
        connection_count: 'data.linkedin_connections',
      },
      no_match: { statuses: [404], empty_path: 'data' },
      fallbacks: [
        {
          name: 'People Data Labs companies',
          method: 'GET',
          url: 'https://api.peopledatalabs.com/v5/company/enrich?profile={profile_url}&titlecase=true',
          headers: peopleDataLabsKey,
          kinds: ['organisation'],
          fields: {
            company: 'name',
            headline: 'headline',
            description: 'summary',
            company_domain: 'website',
            website: 'website',
            industry: 'industry',
            country: 'location.country',
            region: 'location.region',
            city: 'location.locality',
            keywords: 'tags',
            employee_count: 'employee_count',
            founded_year: 'founded',
          },
          no_match: { statuses: [404], empty_path: 'name' },
        },
      ],
    },
  },
  apollo: {
    label: 'Apollo',
    documentation: 'https://docs.apollo.io/reference/people-enrichment',
    settings: {
      name: 'Apollo',
      method: 'POST',
      url: 'https://api.apollo.io/api/v1/people/match?linkedin_url={profile_url}&reveal_personal_emails=false&reveal_phone_number=false',
      headers: [
        { name: 'X-Api-Key', is_secret: true },
        { name: 'Cache-Control', value: 'no-cache' },
      ],
      body: {},
      kinds: ['person'],
      fields: {
        first_name: 'person.first_name',
        last_name: 'person.last_name',
        full_name: 'person.name',
        headline: 'person.headline',
        job_title: 'person.title',
        company: 'person.organization.name',
        company_domain: 'person.organization.primary_domain',
        industry: 'person.organization.industry',
        country: 'person.country',
        region: 'person.state',
        city: 'person.city',
      },
      no_match: { statuses: [404], empty_path: 'person' },
    },
  },
  enrich_layer: {
    label: 'Enrich Layer (formerly Proxycurl’s interface)',
    documentation: 'https://enrichlayer.com/docs/guides/transition-guide',
    settings: {
      name: 'Enrich Layer',
      method: 'GET',
      url: 'https://enrichlayer.com/api/v2/profile?profile_url={profile_url}',
      headers: enrichLayerKey,
      kinds: ['person'],
      fields: {
        first_name: 'first_name',
        last_name: 'last_name',
        full_name: 'full_name',
        headline: 'headline',
        job_title: 'experiences[0].title',
        company: 'experiences[0].company',
        country: 'country',
        region: 'state',
        city: 'city',
        keywords: 'skills',
        follower_count: 'follower_count',
        connection_count: 'connections',
      },
      fallbacks: [
        {
          name: 'Enrich Layer companies',
          method: 'GET',
          url: 'https://enrichlayer.com/api/v2/company?url={profile_url}',
          headers: enrichLayerKey,
          kinds: ['organisation'],
          fields: {
            company: 'name',
            headline: 'tagline',
            description: 'description',
            company_domain: 'website',
            website: 'website',
            industry: 'industry',
            country: 'hq.country',
            region: 'hq.state',
            city: 'hq.city',
            keywords: 'specialities',
            follower_count: 'follower_count',
            employee_count: 'company_size_on_linkedin',
            founded_year: 'founded_year',
          },
        },
      ],
    },
  },
  generic: {
    label: 'Another provider',
    documentation: 'https://www.rfc-editor.org/rfc/rfc9110#section-15.3.3',
    settings: {
      name: 'My provider',
      method: 'GET',
      url: 'https://provider.example/v1/profiles?url={profile_url}',
      headers: [{ name: 'Authorization', is_secret: true }],
      kinds: ['person', 'organisation'],
      fields: {
        first_name: 'first_name',
        last_name: 'last_name',
        full_name: 'full_name',
        headline: 'headline',
        job_title: 'job_title',
        company: 'company.name',
        company_domain: 'company.domain',
        country: 'country',
        city: 'city',
      },
      poll: { url_path: null },
    },
  },
} as const satisfies Readonly<Record<string, ProviderPreset>>;

export type ProviderPresetName = keyof typeof providerPresets;
