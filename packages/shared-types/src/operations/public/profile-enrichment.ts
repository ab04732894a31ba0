import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { enrichedProfile, profileProvenance } from '../../discovery/enriched-profile.ts';
import { limits } from '../../limits.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { publicHeaders } from '../public-parts.ts';

/** The known fields of a profile (specification, "Profile enrichment result"). */
export const profileEnrichmentResult = enrichedProfile
  .extend({
    provenance: profileProvenance
      .optional()
      .describe('Only with the query parameter `provenance=true`: the source of each field.'),
  })
  .meta({ id: 'ProfileEnrichment' });

export const profileEnrichment = defineOperation({
  id: 'profile-enrichment',
  method: 'post',
  path: '/api/v1/profile-enrichment',
  summary: 'Look up a profile',
  tag: 'Profiles',
  description:
    'Returns what is known about the person or organization with this professional-network profile URL: from the profile store, then from the account’s own provider, then from the public page if the operator has enabled that. Costs 1 credit if a first name, a last name, a headline or a company is found; otherwise the response is `{}` and free. Responds within 25 seconds. The response never contains an email address.',
  answeredBy: 'gateway',
  access: { kind: 'apiKey', scope: 'leads' },
  price: 'profileEnrichment',
  sandbox: true,
  query: z.strictObject({
    provenance: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .describe('Adds `provenance`: the source, license and date of each field.'),
    max_age: queryNumber(0, limits.profileAgeSecondsMax)
      .optional()
      .describe(
        'Maximum age in seconds of a cached response from a provider or a page; older ones are fetched again. If omitted, the operator’s setting applies.',
      ),
  }),
  body: z
    .strictObject({
      profile_url: z.string().describe('URL of the profile, in any spelling.').meta({ format: 'uri' }),
    })
    .meta({ id: 'ProfileEnrichmentRequest' }),
  success: {
    status: 200,
    description: 'What is known; `{}` if nothing is.',
    schema: profileEnrichmentResult,
    example: {
      first_name: 'Ada',
      last_name: 'Example',
      headline: 'Head of Engineering at Ordinary',
      company: 'Ordinary',
      kind: 'person',
      profile_url: 'https://www.linkedin.com/in/ada-example',
      company_domain: 'ordinary.example',
    },
    headers: {
      ...publicHeaders,
      age: {
        type: 'integer',
        description: 'Seconds since the source stated it (RFC 9111 section 5.1); absent if nothing is found.',
      },
    },
  },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: ['invalid_profile_url', 'credits_exhausted', 'profile_source_unavailable'],
});
