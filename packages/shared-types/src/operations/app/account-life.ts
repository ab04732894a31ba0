import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { streamedAnswer } from '../public-parts.ts';
import { typedPassword } from './user-parts.ts';
import { moment, ownerOnly } from './view-parts.ts';

/** Exports everything that is stored about the account. */
export const exportAccount = defineOperation({
  id: 'export-account',
  method: 'get',
  path: '/app/v1/account/export',
  summary: 'Export the account',
  tag: 'Account',
  description:
    'Everything that Mailproof stores about the account, as newline-delimited JSON (NDJSON): the first object describes the export, each following one is a row with its service and table, and the last one, with `"complete": true`, counts the rows. A file without that line is incomplete. Secrets and their hashes are omitted. Owners only.',
  answeredBy: 'gateway',
  access: ownerOnly('deletion'),
  success: {
    status: 200,
    description: 'The export.',
    schema: streamedAnswer,
    mediaType: 'application/x-ndjson',
    headers: { 'content-disposition': { type: 'string', description: 'Suggested file name.' } },
  },
  repeatable: true,
  problems: [],
});

/** Closes the account permanently. */
export const deleteAccount = defineOperation({
  id: 'delete-account',
  method: 'delete',
  path: '/app/v1/account',
  summary: 'Delete the account',
  tag: 'Account',
  description:
    'Closes the account immediately and permanently: all users are signed out, the API key is rejected from the next request on, remaining credits expire, and the account’s users are deleted, so their email addresses can be used for a new account. Each service deletes its data within minutes. Owners only.',
  answeredBy: 'gateway',
  access: ownerOnly('deletion'),
  body: z.strictObject({
    password: typedPassword.describe('The current password of the user who sends the request.'),
    account_name: z
      .string()
      .min(1)
      .max(limits.accountNameCharactersMax)
      .describe('The account name, exactly as shown.'),
  }),
  success: {
    status: 200,
    description: 'The account is closed.',
    schema: z.object({ deleted_at: moment }).meta({ id: 'AccountDeletion' }),
    example: { deleted_at: '2026-03-02T09:30:00.000Z' },
  },
  repeatable: false,
  problems: ['wrong_password', 'signing_in_locked', 'account_name_differs'],
});
