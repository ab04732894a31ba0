import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { movementsField } from '../internal/ledger/parts.ts';
import { noBody, noParams, streamedAnswer } from '../public-parts.ts';
import { listQuery, memberOnly, nextCursorField, periodQuery, statementEntry } from './view-parts.ts';

/** Every movement of the account's credits. */
export const viewStatement = defineOperation({
  id: 'view-statement',
  method: 'get',
  path: '/app/v1/statement',
  summary: 'Statement',
  tag: 'Credits',
  description:
    'The movements of credits in a period, newest first, each with its cause and the balance after it. Pages neither skip nor repeat an entry, whatever happens meanwhile.',
  access: memberOnly,
  params: noParams,
  query: listQuery.extend({ movements: movementsField }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of the statement.',
    schema: z
      .object({ entries: z.array(statementEntry), next_cursor: nextCursorField })
      .meta({ id: 'Statement' }),
    example: {
      entries: [
        {
          entry_id: 'entry_5f0c1de2a3b44c5d8e6f7a8b9c0d1e2f',
          at: '2026-03-02T09:30:00.000Z',
          kind: 'settle',
          description: '1 credit spent, 0 returned',
          operation: 'validate-single-email',
          run_id: 'req_0199a0b1c2d3e4f5a6b7c8d9e0f1a2b3',
          request_id: null,
          change: 0,
          held_change: -1,
          balance_after: 4_999,
          held_after: 0,
        },
      ],
    },
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** The statement of a period as a file. */
export const downloadStatement = defineOperation({
  id: 'download-statement',
  method: 'get',
  path: '/app/v1/statement.csv',
  summary: 'Statement as CSV',
  tag: 'Credits',
  description: `The statement of a period as CSV in UTF-8 (RFC 4180), newest first, at most ${limits.statementDownloadRowsMax.toLocaleString('en')} rows; a longer one ends with a row that says so. An apostrophe precedes what a spreadsheet would take for a formula.`,
  access: memberOnly,
  params: noParams,
  query: periodQuery.extend({ movements: movementsField }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'The file.',
    schema: streamedAnswer,
    mediaType: 'text/csv',
    headers: { 'content-disposition': { type: 'string', description: 'A name for the file.' } },
  },
  repeatable: true,
  problems: [],
});
