import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { savedCompaniesSource, savedPeopleSource, validationJobSource } from '../../exports/export-source.ts';
import { accountId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import type { ServiceName } from '../../service-name.ts';
import { fileEncodings, fileFormats } from '../../validation-jobs/validation-job.ts';

/** An exported cell: text, a number, a boolean, or null. */
export const exportedValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export type ExportedValue = z.output<typeof exportedValue>;

const recordKey = z.string().min(1).max(100).describe('The source’s stable key of the row.');

/**
 * The operations that read rows from the service that stores them. They work in two steps, so that an export can resume
 * where it stopped: the first lists the keys of all rows, the second reads the rows in batches. Every answer is about
 * one account.
 */
function readingRows<By extends ServiceName, Source extends z.ZodType>(
  service: 'validation' | 'profiles',
  answeredBy: By,
  source: Source,
) {
  const parts = {
    method: 'post',
    answeredBy,
    access: { kind: 'service', callers: ['webhook-dispatcher'] },
    params: z.strictObject({ accountId }),
    repeatable: true,
    problems: ['invalid_request', 'export_source_not_found', 'export_source_not_ready'],
  } as const;
  const root = '/internal/v1/accounts/:accountId/exported';
  return {
    list: defineOperation({
      ...parts,
      id: `list-${service}-rows`,
      path: `${root}-keys`,
      summary: 'List the row keys of an export',
      description: `The current rows of a source, in order, at most ${limits.exportKeysPerPageMax} per page.`,
      body: z.strictObject({ source, after: recordKey.optional() }),
      success: {
        status: 200,
        description: 'A page of keys.',
        schema: z.object({
          columns: z.array(z.string()).describe('Field names of its rows, in order.'),
          file: z
            .object({
              format: z.enum(fileFormats),
              delimiter: z.string(),
              encoding: z.enum(fileEncodings),
              byte_order_mark: z.boolean(),
              line_end: z.enum(['crlf', 'lf', 'cr']),
              quotes: z.enum(['all', 'needed']),
            })
            .optional()
            .describe('How the rows came in, if they came as a file.'),
          total: z.int().nonnegative().describe('Total rows.'),
          open: z
            .int()
            .nonnegative()
            .optional()
            .describe(
              'Rows of a running job without a result, which are not listed: those from `after` to the last key of the page, or to the end with the last page. Omitted if every row is final.',
            ),
          open_total: z.int().nonnegative().optional().describe('All rows without a result, likewise.'),
          keys: z.array(recordKey).max(limits.exportKeysPerPageMax),
          is_last: z.boolean(),
        }),
      },
    }),
    read: defineOperation({
      ...parts,
      id: `read-${service}-rows`,
      path: `${root}-rows`,
      summary: 'Read rows of an export',
      description: `The contents of rows by key, at most ${limits.exportRowsPerReadMax} at once. Deleted rows are omitted.`,
      body: z.strictObject({ source, keys: z.array(recordKey).min(1).max(limits.exportRowsPerReadMax) }),
      bodyBytesMax: 131_072,
      success: {
        status: 200,
        description: 'The rows, in the order of their keys.',
        schema: z.object({
          columns: z.array(z.string()),
          rows: z.array(
            z.object({
              key: recordKey,
              number: z
                .int()
                .positive()
                .optional()
                .describe('Its number in the list, from 1 without the header, if the source has numbers.'),
              values: z.array(exportedValue),
            }),
          ),
          keys_read: z
            .int()
            .positive()
            .describe('How many of the keys were read, from the first; fewer if rows are long.'),
        }),
      },
    }),
  };
}

const validationRows = readingRows('validation', 'validation-engine', validationJobSource);
const profilesRows = readingRows(
  'profiles',
  'enrichment',
  z.discriminatedUnion('kind', [savedPeopleSource, savedCompaniesSource]),
);

/** Rows of validation jobs, read from the validation engine. */
export const listValidationRows = validationRows.list;
export const readValidationRows = validationRows.read;

/** How the list of a job came in. */
export type UploadedFile = NonNullable<z.output<typeof listValidationRows.success.schema>['file']>;

/** Saved people and companies, read from the enrichment service. */
export const listProfilesRows = profilesRows.list;
export const readProfilesRows = profilesRows.read;
