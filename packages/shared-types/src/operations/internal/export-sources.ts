import { z } from 'zod';
import { savedCompaniesSource, savedPeopleSource, validationJobSource } from '../../exports/export-source.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noQuery } from '../public-parts.ts';

/** A cell as it leaves: text, a number, true or false, or nothing. */
export const exportedValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export type ExportedValue = z.output<typeof exportedValue>;

const recordKey = z.string().min(1).max(100).describe('What the source knows a row by; it never changes.');

/**
 * How rows are read out of the service that has them, in two steps, so that an export can be taken up again wherever it
 * stopped: first the keys of all its rows, then what the rows say, some at a time. Every answer is about one account.
 */
function readingRows<Source extends z.ZodType>(service: 'validation' | 'profiles', source: Source) {
  const parts = {
    method: 'post',
    access: { kind: 'service', callers: ['webhook-dispatcher'] },
    params: z.strictObject({ accountId }),
    query: noQuery,
    bodyBytesMax: limits.jsonBodyBytesMax,
    repeatable: true,
    problems: ['invalid_request', 'export_source_not_found', 'export_source_not_ready'],
  } as const;
  const root = '/internal/v1/accounts/:accountId/exported';
  return {
    list: defineOperation({
      ...parts,
      id: `list-${service}-rows`,
      path: `${root}-keys`,
      summary: 'Keys of the rows of an export',
      description: `The rows that a source has now, in their order, at most ${limits.exportKeysPerPageMax} a page.`,
      body: z.strictObject({ source, after: recordKey.optional() }),
      success: {
        status: 200,
        description: 'A page of keys.',
        schema: z.object({
          columns: z.array(z.string()).describe('Names of the fields of its rows, in their order.'),
          total: z.int().nonnegative().describe('Rows in all.'),
          keys: z.array(recordKey).max(limits.exportKeysPerPageMax),
          is_last: z.boolean(),
        }),
      },
    }),
    read: defineOperation({
      ...parts,
      id: `read-${service}-rows`,
      path: `${root}-rows`,
      summary: 'Rows of an export',
      description: `What rows say, by their keys, at most ${limits.exportRowsPerReadMax} at once. Rows that are gone are left out.`,
      body: z.strictObject({ source, keys: z.array(recordKey).min(1).max(limits.exportRowsPerReadMax) }),
      bodyBytesMax: 131_072,
      success: {
        status: 200,
        description: 'The rows, in the order of their keys.',
        schema: z.object({
          columns: z.array(z.string()),
          rows: z.array(z.object({ key: recordKey, values: z.array(exportedValue) })),
          keys_read: z
            .int()
            .positive()
            .describe('How many of the keys were looked at, the first ones; fewer where rows are long.'),
        }),
      },
    }),
  };
}

const validationRows = readingRows('validation', validationJobSource);
const profilesRows = readingRows(
  'profiles',
  z.discriminatedUnion('kind', [savedPeopleSource, savedCompaniesSource]),
);

/** Rows of validation jobs, from the validation engine. */
export const listValidationRows = validationRows.list;
export const readValidationRows = validationRows.read;

/** Saved people and companies, from the enrichment service. */
export const listProfilesRows = profilesRows.list;
export const readProfilesRows = profilesRows.read;
