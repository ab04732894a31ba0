import { z } from 'zod';
import { enrichedProfile, profileProvenance } from '../../discovery/enriched-profile.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { noParams, publicHeaders } from '../public-parts.ts';

/** What is known of a profile (specification, "Profile enrichment result"). */
export const profileEnrichmentResult = enrichedProfile
  .extend({
    provenance: profileProvenance
      .optional()
      .describe('Only with the query parameter `provenance=true`: where each field comes from.'),
  })
  .meta({ id: 'ProfileEnrichment' });

export const profileEnrichment = defineOperation({
  id: 'profile-enrichment',
  method: 'post',
  path: '/api/v1/profile-enrichment',
  summary: 'Look up a profile',
  tag: 'Profiles',
  description:
    'Answers what is known of the person or organisation whose professional-network profile has this URL: from the profile store, then from the account’s own provider, then from the public page where the operator has enabled that. Costs 1 credit when a first name, a last name, a headline or a company is found; otherwise the answer is `{}` and free. Answers within 25 seconds. The answer never holds an email address.',
  access: { kind: 'apiKey' },
  params: noParams,
  query: z.strictObject({
    provenance: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .describe('Adds `provenance`: the source of each field, its licence and its date.'),
    max_age: queryNumber(0, limits.profileAgeSecondsMax)
      .optional()
      .describe(
        'Seconds since a provider or a page was asked, after which it is asked again. Left out, an answer is remembered for as long as the operator has set.',
      ),
  }),
  body: z
    .strictObject({
      profile_url: z
        .string()
        .describe('URL of the profile, in any of its spellings.')
        .meta({ format: 'uri' }),
    })
    .meta({ id: 'ProfileEnrichmentRequest' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'What is known; `{}` when nothing is.',
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
        description: 'Seconds since the source said so (RFC 9111 section 5.1); absent when nothing is found.',
      },
    },
  },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: ['invalid_profile_url', 'credits_exhausted', 'profile_source_unavailable'],
});
