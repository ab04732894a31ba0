import { z } from 'zod';
import { accountId, creditGrantId, holdId, refundId, requestId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { credits } from '../../public-parts.ts';

export const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;

/** Services that charge for what they deliver by themselves. */
export const chargingServices = {
  kind: 'service',
  callers: ['gateway', 'enrichment', 'validation-engine'],
} as const;

/** A sum of credits that moves: at least one. */
export const creditAmount = z.int().positive().max(1_000_000_000);

/** The operation on whose behalf credits move, in the contract's names. */
export const cause = z.string().regex(/^[a-z][a-z0-9-]{1,63}$/, 'must be the id of an operation');

/** The run or request that credits are for. */
export const runId = z
  .string()
  .min(1)
  .max(128)
  .describe('The run or request that the credits are for; one hold each.');

/** What made credits move: an operation and, where a customer asked for it, the request. */
export const causeFields = { cause, requestId: requestId.optional() };

/** An account's credits after an operation. */
export const balance = z
  .object({
    accountId,
    available: credits.describe('Credits that can be spent or held.'),
    held: credits.describe('Credits reserved by pending holds.'),
  })
  .meta({ id: 'Balance' });

/** Where granted credits come from. */
export const grantKinds = ['cycle', 'top_up', 'refund', 'adjustment'] as const;

export type GrantKind = (typeof grantKinds)[number];

/** Credits that were granted together and expire together. */
export const grantAnswer = z.object({
  grantId: creditGrantId,
  kind: z.enum(grantKinds),
  amount: creditAmount,
  available: credits.describe('Credits of it that can be spent or held.'),
  held: credits.describe('Credits of it that pending holds reserve.'),
  spent: credits,
  expired: credits,
  cause,
  grantedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable().describe('Null: it never expires.'),
});

export const holdStates = ['pending', 'settled', 'released', 'expired'] as const;

export type HoldState = (typeof holdStates)[number];

/** A hold, with the account's balance after the operation that answers it. */
export const holdAnswer = z.object({
  holdId,
  accountId,
  runId: z.string(),
  amount: creditAmount,
  state: z.enum(holdStates),
  settled: credits.describe('Credits spent out of the hold; the rest went back.'),
  expiresAt: z.iso.datetime(),
  expiresInMs: z
    .int()
    .describe('Until then, from the moment of the answer by the ledger’s clock: clocks of callers differ.'),
  available: credits.describe('Credits that the account can spend after this operation.'),
});

/** What became of the credits of one run: `reserved` is `spent` and `returned` once the run has ended. */
export const receipt = z.object({
  runId: z.string(),
  holdId,
  cause,
  requestId: requestId.nullable(),
  state: z.enum(holdStates),
  reserved: creditAmount,
  spent: credits,
  returned: credits,
  refunded: credits.describe('Credits of what was spent that were given back afterwards.'),
  openedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable().describe('Null while the run holds its credits.'),
});

/**
 * Kinds of entry. `expire` is a hold whose time ran out; `expire_credits` takes from `available` what was granted for a
 * time that is over.
 */
export const entryKinds = ['grant', 'hold', 'settle', 'release', 'expire', 'expire_credits'] as const;

export type EntryKind = (typeof entryKinds)[number];

/** Halves of a statement: what work did with credits, and what came and went without any work. */
export const movements = {
  spending: ['hold', 'settle', 'release', 'expire'],
  grants: ['grant', 'expire_credits'],
} as const satisfies Readonly<Record<string, readonly EntryKind[]>>;

export type Movements = keyof typeof movements;

/** Which half of a statement is asked for; both, unless it is said. */
export const movementsField = z
  .enum(['spending', 'grants'])
  .optional()
  .describe(
    'Only what work set aside, spent and gave back (`spending`), or only what was added and expired (`grants`).',
  );

/** One movement of credits, never changed afterwards. */
export const ledgerEntry = z.object({
  entryId: z.int().positive().describe('Grows with time within an account.'),
  kind: z.enum(entryKinds),
  cause,
  runId: z.string().nullable(),
  requestId: requestId.nullable(),
  grantId: creditGrantId.nullable(),
  holdId: holdId.nullable(),
  refundId: refundId.nullable(),
  availableChange: z.int(),
  heldChange: z.int(),
  availableAfter: credits,
  heldAfter: credits,
  at: z.iso.datetime(),
});

/** A number in a query string. */
export function queryNumber(minimum: number, maximum: number) {
  return z.coerce.number().int().min(minimum).max(maximum);
}

/** Which part of a list: rows of a period, newest first, from a cursor on. */
export const pageQuery = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional().describe('Rows from this moment on.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Rows before this moment.'),
  cursor: z.string().max(64).optional().describe('`nextCursor` of the page before.'),
  limit: queryNumber(1, limits.pageRowsMax).default(limits.pageRowsDefault),
});

/** Opaque; absent on the last page. */
export const nextCursor = z.string().optional();
