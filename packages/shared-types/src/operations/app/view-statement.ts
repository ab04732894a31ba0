import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import { movementsField } from '../internal/ledger/parts.ts';
import { streamedAnswer } from '../public-parts.ts';
import { listQuery, memberOrKey, nextCursorField, periodQuery, statementEntry } from './view-parts.ts';

/** Lists every movement of the account's credits. */
export const viewStatement = defineOperation({
  id: 'view-statement',
  method: 'get',
  path: '/app/v1/statement',
  summary: 'Get the credit statement',
  tag: 'Credits',
  description:
    'The account’s credit entries in a period, newest first, each with its cause and the balance after it. Pages neither skip nor repeat entries, even when new ones arrive.',
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  query: listQuery.extend({ movements: movementsField }),
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

/** Downloads the statement of a period. */
export const downloadStatement = defineOperation({
  id: 'download-statement',
  method: 'get',
  path: '/app/v1/statement.csv',
  summary: 'Download the credit statement as CSV',
  tag: 'Credits',
  description: `The statement of a period as CSV in UTF-8 (RFC 4180), newest first, at most ${withCommas(limits.statementDownloadRowsMax)} rows; a longer statement ends with a row that says so. An apostrophe is added where a spreadsheet would read a formula.`,
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  query: periodQuery.extend({ movements: movementsField }),
  success: {
    status: 200,
    description: 'The file.',
    schema: streamedAnswer,
    mediaType: 'text/csv',
    headers: { 'content-disposition': { type: 'string', description: 'Suggested file name.' } },
  },
  repeatable: true,
  problems: [],
});
