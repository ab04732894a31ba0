import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { enrichedProfile, profileProvenance } from '../../discovery/enriched-profile.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';

/** The result of a profile lookup by the enrichment service. */
export const enrichmentOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('found'),
    profile: enrichedProfile,
    provenance: profileProvenance,
    ageSeconds: z.int().nonnegative().describe('Time since the source stated it.'),
  }),
  z.object({ outcome: z.literal('notFound') }),
]);

export type EnrichmentOutcome = z.output<typeof enrichmentOutcome>;

export const enrichProfile = defineOperation({
  id: 'enrich-profile',
  method: 'post',
  path: '/internal/v1/profile-enrichments',
  summary: 'Look up a profile',
  description: 'Looks the profile up in the sources in order and responds before the deadline.',
  answeredBy: 'enrichment',
  access: { kind: 'service', callers: ['gateway'] },
  body: z.strictObject({
    accountId: accountId.describe('The account whose own provider may be used.'),
    profileUrl: z.string(),
    maxAgeSeconds: z.int().min(0).max(limits.profileAgeSecondsMax).optional(),
    deadlineMs: z.int().min(1_000).max(120_000).describe('Time within which to respond.'),
    onlyChecksUrl: z
      .boolean()
      .default(false)
      .describe('Uses no source: answers `notFound` for any valid profile URL.'),
  }),
  success: { status: 200, description: 'What is known.', schema: enrichmentOutcome },
  repeatable: false,
  problems: ['invalid_profile_url', 'profile_source_unavailable'],
});
