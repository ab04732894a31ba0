import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';

const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;

/** A row that a service stores about an account, with its table and column names. */
export const exportedRow = z.object({
  table: z.string(),
  row: z.record(z.string(), z.unknown()),
});

export type ExportedRow = z.output<typeof exportedRow>;

const exportedPage = z.object({
  rows: z.array(exportedRow).max(limits.exportPageRowsMax),
  nextCursor: z.string().optional().describe('Opaque; absent on the last page.'),
});

/** The part of the contract shared by all services that export data of an account. */
const exportParts = {
  method: 'get',
  path: '/internal/v1/accounts/:accountId/export',
  description: `Everything that the service stores about the account, table by table, at most ${limits.exportPageRowsMax} rows per page. Secrets are omitted.`,
  access: gatewayOnly,
  params: z.strictObject({ accountId }),
  query: z.strictObject({ cursor: z.string().min(1).max(1_000).optional() }),
  success: { status: 200, description: 'A page of rows.', schema: exportedPage },
  repeatable: true,
} as const;

/** Exports the ledger's data of an account. */
export const exportAccountCredits = defineOperation({
  ...exportParts,
  id: 'export-account-credits',
  answeredBy: 'credit-ledger',
  summary: 'Export an account’s credits',
  problems: ['invalid_cursor'],
});

/** Exports the engine's data of an account. */
export const exportAccountOutcomes = defineOperation({
  ...exportParts,
  id: 'export-account-outcomes',
  answeredBy: 'validation-engine',
  summary: 'Export an account’s outcomes',
  problems: ['invalid_cursor'],
});

/** Exports the tool server's data of an account. */
export const exportAccountAssistants = defineOperation({
  ...exportParts,
  id: 'export-account-assistants',
  answeredBy: 'mcp-server',
  summary: 'Export an account’s connected assistants',
  problems: ['invalid_cursor'],
});

/** Exports the enrichment service's data of an account. */
export const exportAccountProfiles = defineOperation({
  ...exportParts,
  id: 'export-account-profiles',
  answeredBy: 'enrichment',
  summary: 'Export an account’s searches, runs and saved records',
  problems: ['invalid_cursor'],
});

/** Exports the webhook dispatcher's data of an account. */
export const exportAccountExports = defineOperation({
  ...exportParts,
  id: 'export-account-exports',
  answeredBy: 'webhook-dispatcher',
  summary: 'Export an account’s exports',
  problems: ['invalid_cursor'],
});

/** The part of the contract shared by all services that delete data of an account. */
const forgetParts = {
  method: 'post',
  path: '/internal/v1/forgotten-accounts',
  summary: 'Delete an account’s data',
  access: gatewayOnly,
  body: z.strictObject({ accountId }),
  repeatable: true,
} as const;

/** The answer of a service that deletes part of the data per request. */
const forgottenPortion = {
  status: 200,
  description: 'Some or all data is deleted.',
  schema: z.object({ deleted: z.int().nonnegative(), remaining: z.boolean() }),
} as const;

/** Expires the credits of a deleted account. */
export const closeAccountCredits = defineOperation({
  id: 'close-account-credits',
  method: 'post',
  path: '/internal/v1/closed-accounts',
  summary: 'Close an account',
  description:
    'Expires every credit of a deleted account: available credits at once, held credits when their hold ends, later grants when the operation is repeated. Entries are kept as accounting records under the account id. Idempotent.',
  answeredBy: 'credit-ledger',
  access: gatewayOnly,
  body: z.strictObject({ accountId }),
  success: {
    status: 200,
    description: 'The account is closed.',
    schema: z.object({
      accountId,
      expired: z.int().nonnegative().describe('Credits that this request expired.'),
    }),
  },
  repeatable: true,
  problems: ['invalid_request'],
});

/** Deletes the outcomes that a deleted account reported. */
export const forgetAccountOutcomes = defineOperation({
  ...forgetParts,
  id: 'forget-account-outcomes',
  description:
    'Deletes outcomes that the account reported, a few thousand per request; `remaining` says whether to repeat it. Idempotent.',
  answeredBy: 'validation-engine',
  success: forgottenPortion,
  problems: ['invalid_request'],
});

/** Deletes the assistants of a deleted account. */
export const forgetAccountAssistants = defineOperation({
  ...forgetParts,
  id: 'forget-account-assistants',
  description: 'Disconnects every assistant of the account and deletes its data. Idempotent.',
  answeredBy: 'mcp-server',
  success: {
    status: 200,
    description: 'All data is deleted.',
    schema: z.object({ deleted: z.int().nonnegative().describe('Assistants deleted.') }),
  },
  problems: ['invalid_request'],
});

/** Deletes the searches and saved records of a deleted account. */
export const forgetAccountProfiles = defineOperation({
  ...forgetParts,
  id: 'forget-account-profiles',
  description:
    'Ends the account’s runs, then deletes its searches, saved records and lists, a few thousand rows per request; `remaining` says whether to repeat it. Idempotent.',
  answeredBy: 'enrichment',
  success: forgottenPortion,
  problems: ['invalid_request'],
});

/** Deletes the exports of a deleted account. */
export const forgetAccountExports = defineOperation({
  ...forgetParts,
  id: 'forget-account-exports',
  description:
    'Ends and deletes the account’s exports, a few per request, and deletes their destinations; `remaining` says whether to repeat it. Idempotent.',
  answeredBy: 'webhook-dispatcher',
  success: forgottenPortion,
  problems: ['invalid_request'],
});
