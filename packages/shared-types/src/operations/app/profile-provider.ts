import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { enrichedProfile } from '../../discovery/enriched-profile.ts';
import { oneLine, oneLineFault } from '../../discovery/filter-parts.ts';
import { limits } from '../../limits.ts';
import { oneLineText } from './discovery-parts.ts';
import { memberOrKey, moment, ownerOrKey } from './view-parts.ts';

/** The profile fields to which a provider's response can be mapped. */
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

/** The path of a value in a JSON response: names and array positions, such as `person.names[0].first`. */
export const jsonPath = z
  .string()
  .max(200)
  .regex(
    /^[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_$-]+|\[\d{1,4}\]){0,9}$/u,
    'Write names separated by dots, with indexes in brackets, at most ten levels, such as person.names[0].first.',
  );

/** Headers that belong to the HTTP connection; owners cannot set them. */
const ownHeaders =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding|proxy-.*|cookie)$/i;

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^`|~\w-]+$/, 'is not a valid header name')
  .refine(name => !ownHeaders.test(name), 'This header is set by Mailproof or is not allowed.');

const headerValue = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^[\x20-\x7e]+$/, 'A header can contain only printable ASCII characters.');

const sentHeader = z.strictObject({
  name: headerName,
  value: headerValue
    .optional()
    .describe('Can be omitted for a secret header that is already stored; its value is kept.'),
  is_secret: z.boolean().default(false).describe('Stored encrypted and never shown again.'),
});

/** Whether `jsonb` can store the value: Postgres refuses NUL and unpaired surrogates there. */
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
  name: oneLineText(100).describe('Appears in `provenance` as the source.'),
  method: z.enum(['GET', 'POST']),
  url: z
    .string()
    .max(2_000)
    .regex(oneLine, oneLineFault)
    .describe(
      'HTTPS URL. The placeholders `{profile_url}`, `{profile_key}` and `{handle}` in its path and query are replaced with the percent-encoded profile.',
    ),
  body: z
    .record(z.string().max(200), z.unknown())
    .refine(isKeptWhole, 'must hold Unicode text without NUL')
    .nullable()
    .default(null)
    .describe('JSON body of a POST; the same placeholders are replaced in its strings.'),
  fields: z
    .partialRecord(z.enum(mappedFields), jsonPath)
    .describe(
      'Path of each field in the response; at least one of the first four profile fields is required.',
    ),
  no_match: z
    .strictObject({
      statuses: z
        .array(z.int().min(200).max(499))
        .max(20)
        .default([404])
        .describe('Status codes that mean that the profile was not found.'),
      empty_path: jsonPath
        .nullable()
        .default(null)
        .describe('The profile counts as not found if this path is missing or empty.'),
    })
    .prefault({}),
  price_note: z
    .string()
    .max(200)
    .regex(oneLine, oneLineFault)
    .nullable()
    .default(null)
    .describe('What the provider costs you, for your own reference.'),
  requests_per_second: z.int().min(1).max(100).default(5),
  timeout_ms: z
    .int()
    .min(500)
    .max(limits.providerTimeoutMsMax)
    .default(8_000)
    .describe('Deadline for the response, with all polls.'),
  kinds: z
    .array(z.enum(['person', 'organisation']))
    .min(1)
    .max(2)
    .nullable()
    .default(null)
    .describe(
      'The kinds of profiles that are sent. By default persons if a field of a person is mapped, and otherwise organizations. A URL that can be either is sent to both.',
    ),
  poll: z
    .strictObject({
      url_path: jsonPath
        .nullable()
        .default(null)
        .describe('Path of the URL to poll; by default the `Location` header.'),
      pending: z
        .strictObject({ path: jsonPath, values: z.array(z.string().max(100)).min(1).max(20) })
        .nullable()
        .default(null)
        .describe('The response is not complete while the path has one of the values. 202 always says so.'),
      every_ms: z.int().min(250).max(10_000).default(1_000).describe('Used without `Retry-After`.'),
    })
    .nullable()
    .default(null)
    .describe(
      'For a provider that accepts a query and answers later: a GET with the same headers, same origin.',
    ),
  requests_per_month: z
    .int()
    .min(1)
    .max(100_000_000)
    .nullable()
    .default(null)
    .describe('Budget: the maximum number of queries in a calendar month (UTC).'),
  kept_hours: z
    .int()
    .min(0)
    .max(8_760)
    .nullable()
    .default(null)
    .describe('How long your license allows to keep a response; at most as long as the operator keeps any.'),
};

const shownHeader = z.object({
  name: z.string(),
  value: z.string().optional().describe('Absent if secret.'),
  is_secret: z.boolean(),
});

/** Failures of a request to a provider. */
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
  'budget_spent',
] as const;

export type ProviderFailure = (typeof providerFailures)[number];

const failure = z.object({
  reason: z
    .enum(providerFailures)
    .describe(
      '`refused`: it responded with 401 or 403; check the secret headers. `not_allowed`: the provider address is not allowed. `secret_not_readable`: enter the secrets again.',
    ),
  status: z.int().nullable().describe('The HTTP status of its response, if any.'),
  provider: z.string().nullable().default(null).describe('The name of the provider that failed.'),
});

const headers = z
  .array(sentHeader)
  .max(20)
  .default([])
  .refine(
    sent => new Set(sent.map(({ name }) => name.toLowerCase())).size === sent.length,
    'Each header name must be unique.',
  );

export const profileProviderAnswer = z
  .object({
    ...settingsFields,
    headers: z.array(shownHeader),
    // Enrichment of the previous release leaves it out, like the requests of the month.
    fallbacks: z.array(z.object({ ...settingsFields, headers: z.array(shownHeader) })).default([]),
    updated_at: moment,
    health: z.object({
      requests_this_month: z
        .record(z.string(), z.int().nonnegative())
        .default({})
        .describe('Queries of this month, by name, of providers that have a budget.'),
      last_success_at: moment.nullable(),
      last_failure_at: moment.nullable(),
      last_failure: failure.nullable(),
    }),
  })
  .meta({ id: 'ProfileProvider' });

export const profileProviderSettings = z
  .strictObject({
    ...settingsFields,
    headers,
    fallbacks: z
      .array(z.strictObject({ ...settingsFields, headers }))
      .max(limits.providerFallbacksMax)
      .default([])
      .describe('Queried in this order after the first provider, until one knows the profile.'),
  })
  .meta({ id: 'ProfileProviderSettings' });

export type ProfileProviderSettings = z.output<typeof profileProviderSettings>;

const path = '/app/v1/profile-provider';
const parts = { path, tag: 'Profiles' } as const;

export const getProfileProvider = defineOperation({
  ...parts,
  id: 'get-profile-provider',
  method: 'get',
  summary: 'Get the profile provider',
  description:
    'The configuration and recent status of the account’s own profile provider. Secret headers are listed without their values.',
  answeredBy: 'enrichment',
  access: memberOrKey('account.read'),
  success: { status: 200, description: 'The provider.', schema: profileProviderAnswer },
  repeatable: true,
  problems: ['profile_provider_not_found'],
});

export const putProfileProvider = defineOperation({
  ...parts,
  id: 'put-profile-provider',
  method: 'put',
  summary: 'Set up a profile provider',
  description:
    'Profiles that are not in the store are looked up at this provider from now on, and at its `fallbacks` in their order if it does not know a profile. You need an agreement with the provider and pay it yourself. Cached responses of the previous configuration are deleted. A secret header sent without a value keeps its stored value as long as the URL stays on the same host.',
  answeredBy: 'enrichment',
  access: ownerOrKey('account.write'),
  body: profileProviderSettings,
  bodyExample: {
    name: 'Profiles Ltd',
    method: 'GET',
    url: 'https://profiles.example/v1/people?handle={handle}',
    headers: [{ name: 'Authorization', value: 'Bearer SECRET', is_secret: true }],
    fields: { full_name: 'person.name', job_title: 'person.positions[0].title' },
  },
  success: { status: 200, description: 'The provider.', schema: profileProviderAnswer },
  repeatable: true,
  problems: ['profile_provider_not_valid'],
});

export const deleteProfileProvider = defineOperation({
  ...parts,
  id: 'delete-profile-provider',
  method: 'delete',
  summary: 'Remove the profile provider',
  description: 'Deletes its configuration, its secrets and all its cached responses.',
  answeredBy: 'enrichment',
  access: ownerOrKey('account.write'),
  success: { status: 200, description: 'The provider is removed.', schema: z.object({}) },
  repeatable: true,
  problems: ['profile_provider_not_found'],
});

export const testProfileProvider = defineOperation({
  ...parts,
  id: 'test-profile-provider',
  method: 'post',
  path: `${path}/tests`,
  summary: 'Test the profile provider',
  description:
    'Looks up one profile at the provider and shows how its response is read. Mailproof charges nothing; the provider may. Nothing is stored.',
  answeredBy: 'enrichment',
  access: ownerOrKey('account.write'),
  body: z.strictObject({ profile_url: z.string() }),
  success: {
    status: 200,
    description: 'The test result.',
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
