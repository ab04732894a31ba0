import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery, streamedAnswer } from '../public-parts.ts';
import { typedPassword } from './user-parts.ts';
import { moment, ownerOnly } from './view-parts.ts';

/** Everything that is kept of the account. */
export const exportAccount = defineOperation({
  id: 'export-account',
  method: 'get',
  path: '/app/v1/account/export',
  summary: 'Export the account',
  tag: 'Account',
  description:
    'Everything that every service keeps of the account, one JSON object a line (NDJSON): the first says what the export is, each further one is a row with its service and table, and the last one, with `"complete": true`, counts the rows. A file without that line broke off. Secrets and the hashes of secrets are left out. Owners alone may.',
  access: ownerOnly,
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The export.',
    schema: streamedAnswer,
    mediaType: 'application/x-ndjson',
    headers: { 'content-disposition': { type: 'string', description: 'A name for the file.' } },
  },
  repeatable: true,
  problems: [],
});

/** Closes the account for good. */
export const deleteAccount = defineOperation({
  id: 'delete-account',
  method: 'delete',
  path: '/app/v1/account',
  summary: 'Delete the account',
  tag: 'Account',
  description:
    'Closes the account at once and for good: everybody is signed out, the API key is refused from the next request on, what is left of its credits expires, and the people who belong to it are forgotten, so that their addresses can be used for a new account. What each service keeps of it follows within minutes. Owners alone may.',
  access: ownerOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({
    password: typedPassword.describe('The current password of whoever asks.'),
    account_name: z
      .string()
      .min(1)
      .max(limits.accountNameCharactersMax)
      .describe('The account’s name, typed as it is shown.'),
  }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'The account is closed.',
    schema: z.object({ deleted_at: moment }).meta({ id: 'AccountDeletion' }),
    example: { deleted_at: '2026-03-02T09:30:00.000Z' },
  },
  repeatable: false,
  problems: ['wrong_password', 'signing_in_locked', 'account_name_differs'],
});
