import { z } from 'zod';
import { defineOperation } from '../../../define-operation.ts';
import { accountId } from '../../../ids.ts';
import {
  balance,
  chargingServices,
  gatewayOnly,
  ledgerEntry,
  movementsField,
  nextCursor,
  pageQuery,
  receipt,
  runId,
} from './parts.ts';

const ofAccount = z.strictObject({ accountId });

/** Gets the credits of an account; zero if it was never granted any. */
export const getBalance = defineOperation({
  id: 'get-balance',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/balance',
  summary: 'Balance of an account',
  description: 'Available and held credits. An account without entries has zero of each.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
  params: ofAccount,
  success: { status: 200, description: 'The balance.', schema: balance },
  repeatable: true,
  problems: [],
});

/** Lists every movement of an account's credits in a period. */
export const listEntries = defineOperation({
  id: 'list-entries',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/entries',
  summary: 'Statement',
  description: 'The entries of a period, newest first. Pages neither skip nor repeat entries.',
  answeredBy: 'credit-ledger',
  access: gatewayOnly,
  params: ofAccount,
  query: pageQuery.extend({ movements: movementsField }),
  success: {
    status: 200,
    description: 'A page of entries.',
    schema: z.object({ entries: z.array(ledgerEntry), nextCursor }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Lists what happened to the credits of each run in a period. */
export const listReceipts = defineOperation({
  id: 'list-receipts',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/receipts',
  summary: 'Receipts',
  description: 'The receipts of runs that started in a period, newest first.',
  answeredBy: 'credit-ledger',
  access: gatewayOnly,
  params: ofAccount,
  query: pageQuery,
  success: {
    status: 200,
    description: 'A page of receipts.',
    schema: z.object({ receipts: z.array(receipt), nextCursor }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

export const getReceipt = defineOperation({
  id: 'get-receipt',
  method: 'get',
  path: '/internal/v1/accounts/:accountId/receipts/:runId',
  summary: 'Get the receipt of a run',
  description: 'The receipt of a run of this account.',
  answeredBy: 'credit-ledger',
  access: chargingServices,
  params: z.strictObject({ accountId, runId }),
  success: { status: 200, description: 'The receipt.', schema: receipt },
  repeatable: true,
  problems: ['receipt_not_found'],
});
