import { z } from 'zod';
import { emailAddress } from '../../email-address/schema.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noParams, noQuery } from '../public-parts.ts';
import { doneAnswer, linkUse, mailAnswer, openProblems } from './user-parts.ts';

/** Asks to be left out; the mail that follows makes sure that somebody means it. */
export const requestOptOut = defineOperation({
  id: 'request-opt-out',
  method: 'post',
  path: '/app/v1/opt-outs',
  summary: 'Ask to be left out',
  tag: 'Opting out',
  description:
    'For people who want nothing of them to be found, saved or enriched here. Sends a mail with a link that confirms it. The answer is the same whether anything is known of the person or not. The address is for this mail alone and is forgotten when it has been sent. Profiles of organisations cannot be left out.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({
      profile_url: z
        .string()
        .min(1)
        .max(limits.profileUrlCharactersMax)
        .describe('The URL of the person’s profile, in any spelling.'),
      email: emailAddress,
    })
    .meta({ id: 'OptOut' }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 202,
    description: 'The mail is under way.',
    schema: mailAnswer,
    example: { sent_to: 'ada@ordinary.example' },
  },
  repeatable: true,
  problems: [
    'invalid_profile_url',
    'invalid_email_address',
    'profile_of_an_organisation',
    'mail_not_configured',
    ...openProblems,
  ],
});

/** Leaves somebody out. */
export const confirmOptOut = defineOperation({
  id: 'confirm-opt-out',
  method: 'post',
  path: '/app/v1/opt-outs/confirmation',
  summary: 'Confirm that somebody is left out',
  tag: 'Opting out',
  description:
    'Deletes what is kept of the person, in every account too, and keeps them out from now on. When this is answered, it is done. The answer is the same whether anything was known of the person or not.',
  access: { kind: 'public' },
  params: noParams,
  query: noQuery,
  body: linkUse,
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'It is done.', schema: doneAnswer, example: { done: true } },
  repeatable: false,
  problems: ['link_not_valid', ...openProblems],
});
