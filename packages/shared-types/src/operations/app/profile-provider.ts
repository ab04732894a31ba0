import { z } from 'zod';
import { enrichedProfile } from '../../discovery/enriched-profile.ts';
import { oneLine, oneLineFault } from '../../discovery/one-line.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { oneLineText } from './discovery-parts.ts';
import { memberOnly, moment, ownerOnly } from './view-parts.ts';

/** What of a profile a provider's answer can be mapped to. */
export const mappedFields = [
  'first_name',
  'last_name',
  'full_name',
  'headline',
  'job_title',
  'company',
  'company_domain',
  'description',
  'industry',
  'country',
  'region',
  'city',
  'website',
  'keywords',
  'follower_count',
  'connection_count',
  'employee_count',
  'founded_year',
] as const;

export type MappedField = (typeof mappedFields)[number];

/** Where a value stands in a JSON answer: names and positions, such as `person.names[0].first`. */
export const jsonPath = z
  .string()
  .max(200)
  .regex(
    /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+|\[\d{1,4}\]){0,9}$/u,
    'Write names parted by full stops, and positions in brackets, at most ten: `person.names[0].first`.',
  );

/** Headers that belong to the connection, and not to whoever writes a request. */
const ownHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|proxy-.*|cookie)$/i;

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^`|~\w-]+$/, 'Is no name of a header.')
  .refine(name => !ownHeaders.test(name), 'This header is set by Mailproof, or must not be.');

const headerValue = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^[\x20-\x7e]+$/, 'A header has printable ASCII characters alone.');

const sentHeader = z.strictObject({
  name: headerName,
  value: headerValue
    .optional()
    .describe('May be left out of a secret header that is known already: it stays as it is.'),
  is_secret: z.boolean().default(false).describe('Sealed, and never shown again.'),
});

/** Postgres keeps in `jsonb` neither NUL nor half of a surrogate pair. */
function isKeptWhole(value: object): boolean {
  let isWhole = true;
  JSON.stringify(value, (key: string, each: unknown) => {
    const texts = typeof each === 'string' ? [key, each] : [key];
    isWhole &&= texts.every(text => text.isWellFormed() && !text.includes('\u0000'));
    return each;
  });
  return isWhole;
}

const settingsFields = {
  name: oneLineText(100).describe('Stands in `provenance` as the source.'),
  method: z.enum(['GET', 'POST']),
  url: z
    .string()
    .max(2_000)
    .regex(oneLine, oneLineFault)
    .describe(
      'HTTPS address, in whose path and query `{profile_url}`, `{profile_key}` and `{handle}` stand for the profile, percent-encoded.',
    ),
  body: z
    .record(z.string().max(200), z.json())
    .refine(isKeptWhole, 'must hold Unicode text without NUL')
    .nullable()
    .default(null)
    .describe('JSON of a POST, in whose texts the same words stand for the profile.'),
  fields: z
    .partialRecord(z.enum(mappedFields), jsonPath)
    .describe('Where in the answer each field stands; at least one of the first four fields of a profile.'),
  no_match: z
    .strictObject({
      statuses: z
        .array(z.int().min(200).max(499))
        .max(20)
        .default([404])
        .describe('Statuses that say that the profile is not known.'),
      empty_path: jsonPath
        .nullable()
        .default(null)
        .describe('The profile is not known where nothing, or an empty value, stands here.'),
    })
    .prefault({}),
  price_note: z
    .string()
    .max(200)
    .regex(oneLine, oneLineFault)
    .nullable()
    .default(null)
    .describe('What the provider costs you, for your own eyes.'),
  requests_per_second: z.int().min(1).max(100).default(5),
  timeout_ms: z.int().min(500).max(limits.providerTimeoutMsMax).default(8_000),
};

const shownHeader = z.object({
  name: z.string(),
  value: z.string().optional().describe('Absent where it is secret.'),
  is_secret: z.boolean(),
});

/** What can go wrong when a provider is asked. */
export const providerFailures = [
  'refused',
  'rate_limited',
  'unexpected_status',
  'not_json',
  'not_allowed',
  'unreachable',
  'too_late',
  'too_large',
  'not_readable',
  'secret_not_readable',
] as const;

export type ProviderFailure = (typeof providerFailures)[number];

const failure = z.object({
  reason: z
    .enum(providerFailures)
    .describe(
      '`refused`: it answered 401 or 403, so a secret header may be wrong. `not_allowed`: its address may not be contacted. `secret_not_readable`: enter the secrets again.',
    ),
  status: z.int().nullable().describe('The HTTP status that it answered with, if it did.'),
});

export const profileProviderAnswer = z
  .object({
    ...settingsFields,
    headers: z.array(shownHeader),
    updated_at: moment,
    health: z.object({
      last_success_at: moment.nullable(),
      last_failure_at: moment.nullable(),
      last_failure: failure.nullable(),
    }),
  })
  .meta({ id: 'ProfileProvider' });

export const profileProviderSettings = z
  .strictObject({
    ...settingsFields,
    headers: z
      .array(sentHeader)
      .max(20)
      .default([])
      .refine(
        headers => new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length,
        'Name each header once.',
      ),
  })
  .meta({ id: 'ProfileProviderSettings' });

export type ProfileProviderSettings = z.output<typeof profileProviderSettings>;

const path = '/app/v1/profile-provider';
const parts = { path, tag: 'Profiles', params: noParams, query: noQuery } as const;

export const getProfileProvider = defineOperation({
  ...parts,
  id: 'get-profile-provider',
  method: 'get',
  summary: 'The account’s own provider of profiles',
  description: 'How the provider is asked, and how it did lately. Secret headers are named and not shown.',
  access: memberOnly,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The provider.', schema: profileProviderAnswer },
  repeatable: true,
  problems: ['profile_provider_not_found'],
});

export const putProfileProvider = defineOperation({
  ...parts,
  id: 'put-profile-provider',
  method: 'put',
  summary: 'Set up the account’s own provider of profiles',
  description:
    'From now on profiles that the store does not know are looked up at this provider, which you have an agreement with and pay yourself. What it said before is forgotten. A secret header that is sent without its value keeps the one that is known, as long as the address stays on the same host.',
  access: ownerOnly,
  body: profileProviderSettings,
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'The provider.', schema: profileProviderAnswer },
  repeatable: true,
  problems: ['profile_provider_not_valid'],
});

export const deleteProfileProvider = defineOperation({
  ...parts,
  id: 'delete-profile-provider',
  method: 'delete',
  summary: 'Remove the account’s own provider of profiles',
  description: 'Forgets its settings, its secrets and everything that it has said.',
  access: ownerOnly,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'It is gone.', schema: z.object({}) },
  repeatable: true,
  problems: ['profile_provider_not_found'],
});

export const testProfileProvider = defineOperation({
  ...parts,
  id: 'test-profile-provider',
  method: 'post',
  path: `${path}/tests`,
  summary: 'Try the account’s own provider of profiles',
  description:
    'Asks the provider about one profile and shows what becomes of its answer. Mailproof charges nothing for it; the provider may. Nothing is remembered.',
  access: ownerOnly,
  body: z.strictObject({ profile_url: z.string() }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'What came of it.',
    schema: z.object({
      outcome: z.enum(['found', 'no_match', 'failed']),
      profile: enrichedProfile.nullable(),
      failure: failure.nullable(),
      elapsed_ms: z.int().nonnegative(),
    }),
  },
  repeatable: false,
  problems: ['profile_provider_not_found', 'invalid_profile_url'],
});
