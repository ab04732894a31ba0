import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';

const profileUrl = z.string().min(1).max(limits.profileUrlCharactersMax);

/** Finds out whether an opt-out could concern a URL, without looking whether anything is known of it. */
export const recogniseProfileUrl = defineOperation({
  id: 'recognise-profile-url',
  method: 'post',
  path: '/internal/v1/profile-urls/recognition',
  summary: 'Recognise the URL of a profile',
  description: 'Says whom the profile is of, as far as its URL tells.',
  access: { kind: 'service', callers: ['gateway'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({ profileUrl }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Its canonical spelling, and whom it is of.',
    schema: z.object({ profileUrl: z.string(), kind: z.enum(['person', 'organisation']).nullable() }),
  },
  repeatable: true,
  problems: ['invalid_profile_url'],
});

export const suppressProfile = defineOperation({
  id: 'suppress-profile',
  method: 'post',
  path: '/internal/v1/suppressions',
  summary: 'Keep a person out',
  description:
    'Deletes what is kept of the person with this profile, and keeps them out from now on. The answer does not tell whether anything was known.',
  access: { kind: 'service', callers: ['gateway'] },
  params: noParams,
  query: noQuery,
  body: z.strictObject({ profileUrl }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'It is done.', schema: z.object({ done: z.literal(true) }) },
  repeatable: true,
  problems: ['invalid_profile_url', 'profile_of_an_organisation'],
});
