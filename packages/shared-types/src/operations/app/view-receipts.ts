import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { runId } from '../internal/ledger/parts.ts';
import { accountReceipt, listQuery, memberOrKey, nextCursorField } from './view-parts.ts';

const example = {
  run_id: 'req_0199a0b1c2d3e4f5a6b7c8d9e0f1a2b3',
  operation: 'validate-single-email',
  request_id: null,
  state: 'settled',
  reserved: 1,
  spent: 1,
  returned: 0,
  refunded: 0,
  opened_at: '2026-03-02T09:30:00.000Z',
  closed_at: '2026-03-02T09:30:01.200Z',
} as const;

/** Lists what happened to the credits of each run. */
export const viewReceipts = defineOperation({
  id: 'view-receipts',
  method: 'get',
  path: '/app/v1/receipts',
  summary: 'List receipts',
  tag: 'Credits',
  description:
    'Receipts of runs that started in a period, newest first: credits reserved, spent and returned.',
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  query: listQuery,
  success: {
    status: 200,
    description: 'A page of receipts.',
    schema: z
      .object({ receipts: z.array(accountReceipt), next_cursor: nextCursorField })
      .meta({ id: 'Receipts' }),
    example: { receipts: [example] },
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Gets the receipt of one run. */
export const viewReceipt = defineOperation({
  id: 'view-receipt',
  method: 'get',
  path: '/app/v1/receipts/:run_id',
  summary: 'Get the receipt of a run',
  tag: 'Credits',
  description: 'The credits that one run of this account reserved, spent and returned.',
  answeredBy: 'gateway',
  access: memberOrKey('account.read'),
  params: z.strictObject({ run_id: runId.regex(/^[\x20-\x7e]+$/, 'must be printable ASCII') }),
  success: { status: 200, description: 'The receipt.', schema: accountReceipt, example },
  repeatable: true,
  problems: ['receipt_not_found'],
});
