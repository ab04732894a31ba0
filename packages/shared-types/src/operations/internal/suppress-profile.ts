import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';

const profileUrl = z.string().min(1).max(limits.profileUrlCharactersMax);

/** Checks whether an opt-out can apply to a URL, without looking up what is known about it. */
export const recogniseProfileUrl = defineOperation({
  id: 'recognise-profile-url',
  method: 'post',
  path: '/internal/v1/profile-urls/recognition',
  summary: 'Parse a profile URL',
  description: 'Says whether the profile is a person’s or an organization’s, as far as its URL shows.',
  answeredBy: 'enrichment',
  access: { kind: 'service', callers: ['gateway'] },
  body: z.strictObject({ profileUrl }),
  success: {
    status: 200,
    description: 'Its canonical form, and whether it is a person’s or an organization’s.',
    schema: z.object({ profileUrl: z.string(), kind: z.enum(['person', 'organisation']).nullable() }),
  },
  repeatable: true,
  problems: ['invalid_profile_url'],
});

export const suppressProfile = defineOperation({
  id: 'suppress-profile',
  method: 'post',
  path: '/internal/v1/suppressions',
  summary: 'Suppress a person',
  description:
    'Deletes all data about the person with this profile, and prevents it from being stored again. The response does not reveal whether the person was known.',
  answeredBy: 'enrichment',
  access: { kind: 'service', callers: ['gateway'] },
  body: z.strictObject({ profileUrl }),
  success: {
    status: 200,
    description: 'The person is suppressed.',
    schema: z.object({ done: z.literal(true) }),
  },
  repeatable: true,
  problems: ['invalid_profile_url', 'profile_of_an_organisation'],
});
