import { z } from 'zod';
import { enrichedProfile, profileProvenance } from '../../discovery/enriched-profile.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';

/** What the enrichment service knows of a profile. */
export const enrichmentOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('found'),
    profile: enrichedProfile,
    provenance: profileProvenance,
    ageSeconds: z.int().nonnegative().describe('Since the source said so.'),
  }),
  z.object({ outcome: z.literal('notFound') }),
]);

export type EnrichmentOutcome = z.output<typeof enrichmentOutcome>;

export const enrichProfile = defineOperation({
  id: 'enrich-profile',
  method: 'post',
  path: '/internal/v1/profile-enrichments',
  summary: 'Look up a profile',
  description: 'Asks the sources of profiles in order and answers before the deadline.',
  access: { kind: 'service', callers: ['gateway'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    accountId: accountId.describe('The account whose own provider may be asked.'),
    profileUrl: z.string(),
    maxAgeSeconds: z.int().min(0).max(limits.profileAgeSecondsMax).optional(),
    deadlineMs: z.int().min(1_000).max(120_000).describe('Time within which the answer must be given.'),
    onlyChecksUrl: z
      .boolean()
      .default(false)
      .describe('Asks no source: answers `notFound` to whatever is the URL of a profile.'),
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'What is known.', schema: enrichmentOutcome },
  repeatable: false,
  problems: ['invalid_profile_url', 'profile_source_unavailable'],
});
