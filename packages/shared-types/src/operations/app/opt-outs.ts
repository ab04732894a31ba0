import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { limits } from '../../limits.ts';
import { doneAnswer, linkUse, mailAnswer, openProblems } from './user-parts.ts';

/** Requests an opt-out; the link in the mail that follows confirms it. */
export const requestOptOut = defineOperation({
  id: 'request-opt-out',
  method: 'post',
  path: '/app/v1/opt-outs',
  summary: 'Request an opt-out',
  tag: 'Opting out',
  description:
    'For people who do not want to be found, saved or enriched on this installation. Emails a link that confirms the request. The response is the same whether the person is known or not. The email address is used for this mail only and is deleted once it has been sent. Profiles of organizations cannot opt out.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: z
    .strictObject({
      profile_url: z
        .string()
        .min(1)
        .max(limits.profileUrlCharactersMax)
        .describe('The person’s profile URL, in any spelling.'),
      email: emailAddress,
    })
    .meta({ id: 'OptOut' }),
  success: {
    status: 202,
    description: 'The confirmation email is on its way.',
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

/** Confirms an opt-out and removes the person. */
export const confirmOptOut = defineOperation({
  id: 'confirm-opt-out',
  method: 'post',
  path: '/app/v1/opt-outs/confirmation',
  summary: 'Confirm an opt-out',
  tag: 'Opting out',
  description:
    'Deletes all data about the person in every account, and prevents it from being stored again. Complete when the response arrives. The response is the same whether the person was known or not.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  body: linkUse,
  success: {
    status: 200,
    description: 'The opt-out is complete.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: false,
  problems: ['link_not_valid', ...openProblems],
});
