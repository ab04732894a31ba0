import { z } from 'zod';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';

const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;

/** A row that a service keeps of an account, by its table and column names. */
export const exportedRow = z.object({
  table: z.string(),
  row: z.record(z.string(), z.unknown()),
});

export type ExportedRow = z.output<typeof exportedRow>;

const exportedPage = z.object({
  rows: z.array(exportedRow).max(limits.exportPageRowsMax),
  nextCursor: z.string().optional().describe('Opaque; absent on the last page.'),
});

/** What every service that keeps anything of an account answers alike. */
const exportParts = {
  method: 'get',
  path: '/internal/v1/accounts/:accountId/export',
  description: `Everything that the service keeps of the account, table by table, at most ${limits.exportPageRowsMax} rows a page. Secrets are left out.`,
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: z.strictObject({ cursor: z.string().min(1).max(1_000).optional() }),
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'A page of rows.', schema: exportedPage },
  repeatable: true,
} as const;

/** The ledger's share of an account's export. */
export const exportAccountCredits = defineOperation({
  ...exportParts,
  id: 'export-account-credits',
  summary: 'Export an account’s credits',
  problems: ['invalid_cursor'],
});

/** The engine's share of an account's export. */
export const exportAccountOutcomes = defineOperation({
  ...exportParts,
  id: 'export-account-outcomes',
  summary: 'Export an account’s outcomes',
  problems: ['invalid_cursor'],
});

/** The tool server's share of an account's export. */
export const exportAccountAssistants = defineOperation({
  ...exportParts,
  id: 'export-account-assistants',
  summary: 'Export an account’s connected assistants',
  problems: ['invalid_cursor'],
});

/** The enrichment service's share of an account's export. */
export const exportAccountProfiles = defineOperation({
  ...exportParts,
  id: 'export-account-profiles',
  summary: 'Export an account’s searches, runs and saved records',
  problems: ['invalid_cursor'],
});

/** The webhook dispatcher's share of an account's export. */
export const exportAccountExports = defineOperation({
  ...exportParts,
  id: 'export-account-exports',
  summary: 'Export an account’s exports',
  problems: ['invalid_cursor'],
});

/** Ends an account's credits, when the account has been deleted. */
export const closeAccountCredits = defineOperation({
  id: 'close-account-credits',
  method: 'post',
  path: '/internal/v1/closed-accounts',
  summary: 'Close an account',
  description:
    'Lets every credit of a deleted account expire: what is available at once, what is held when its hold ends, what is granted later as soon as the operation comes again. Entries stay as accounting records under the account’s id. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'The account is closed.',
    schema: z.object({
      accountId,
      expired: z.int().nonnegative().describe('Credits that expired by this request.'),
    }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Forgets what an account has reported, when the account has been deleted. */
export const forgetAccountOutcomes = defineOperation({
  id: 'forget-account-outcomes',
  method: 'post',
  path: '/internal/v1/forgotten-accounts',
  summary: 'Forget an account',
  description:
    'Deletes outcomes that the account reported, some thousand at a time; `remaining` says whether to ask again. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Some or all is deleted.',
    schema: z.object({ deleted: z.int().nonnegative(), remaining: z.boolean() }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Forgets an account's assistants, when the account has been deleted. */
export const forgetAccountAssistants = defineOperation({
  id: 'forget-account-assistants',
  method: 'post',
  path: '/internal/v1/forgotten-accounts',
  summary: 'Forget an account',
  description: 'Disconnects every assistant of the account and deletes what was kept of it. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Nothing is left.',
    schema: z.object({ deleted: z.int().nonnegative().describe('Assistants that were forgotten.') }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Forgets what an account has searched for and saved, when the account has been deleted. */
export const forgetAccountProfiles = defineOperation({
  id: 'forget-account-profiles',
  method: 'post',
  path: '/internal/v1/forgotten-accounts',
  summary: 'Forget an account',
  description:
    'Ends the runs of the account, then deletes its searches, saved records and lists, some thousand rows at a time; `remaining` says whether to ask again. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Some or all is deleted.',
    schema: z.object({ deleted: z.int().nonnegative(), remaining: z.boolean() }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Forgets an account's exports, when the account has been deleted. */
export const forgetAccountExports = defineOperation({
  id: 'forget-account-exports',
  method: 'post',
  path: '/internal/v1/forgotten-accounts',
  summary: 'Forget an account',
  description:
    'Ends and deletes exports of the account, some at a time, and forgets where they went; `remaining` says whether to ask again. Idempotent.',
  access: gatewayOnly,
  params: noParams,
  query: noQuery,
  body: z.strictObject({ accountId }),
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: {
    status: 200,
    description: 'Some or all is deleted.',
    schema: z.object({ deleted: z.int().nonnegative(), remaining: z.boolean() }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});
