import { z } from 'zod';
import { accountId, creditGrantId, holdId, refundId, requestId } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { credits } from '../../public-parts.ts';

export const gatewayOnly = { kind: 'service', callers: ['gateway'] } as const;

/** Services that charge for what they deliver. */
export const chargingServices = {
  kind: 'service',
  callers: ['gateway', 'enrichment', 'validation-engine'],
} as const;

/** An amount of credits that moves: at least one. */
export const creditAmount = z.int().positive().max(1_000_000_000);

/** The operation on whose behalf credits move, in the contract's names. */
export const cause = z.string().regex(/^[a-z][a-z0-9-]{1,63}$/, 'must be an operation id');

/** The run or request that credits are for. */
export const runId = z
  .string()
  .min(1)
  .max(128)
  .describe('The run or request that the credits are for; one hold each.');

/** What moved the credits: an operation and, if it came from a customer, the request. */
export const causeFields = { cause, requestId: requestId.optional() };

/** An account's credits after an operation. */
export const balance = z
  .object({
    accountId,
    available: credits.describe('Credits that can be spent or held.'),
    held: credits.describe('Credits reserved by pending holds.'),
  })
  .meta({ id: 'Balance' });

/** The sources of granted credits. */
export const grantKinds = ['cycle', 'top_up', 'refund', 'adjustment'] as const;

export type GrantKind = (typeof grantKinds)[number];

/** Credits that were granted together and expire together. */
export const grantAnswer = z.object({
  grantId: creditGrantId,
  kind: z.enum(grantKinds),
  amount: creditAmount,
  available: credits.describe('Its credits that can be spent or held.'),
  held: credits.describe('Its credits that pending holds reserve.'),
  spent: credits,
  expired: credits,
  cause,
  grantedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable().describe('Null if it never expires.'),
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
  settled: credits.describe('Credits spent from the hold; the rest was returned.'),
  expiresAt: z.iso.datetime(),
  expiresInMs: z
    .int()
    .describe('Time until it expires, from the response on, by the ledger’s clock: callers’ clocks differ.'),
  available: credits.describe('Available credits of the account after this operation.'),
});

/** What happened to the credits of one run: once it has ended, `reserved` equals `spent` plus `returned`. */
export const receipt = z.object({
  runId: z.string(),
  holdId,
  cause,
  requestId: requestId.nullable(),
  state: z.enum(holdStates),
  reserved: creditAmount,
  spent: credits,
  returned: credits,
  refunded: credits.describe('Spent credits that were refunded later.'),
  openedAt: z.iso.datetime(),
  closedAt: z.iso.datetime().nullable().describe('Null while the run holds its credits.'),
});

/**
 * The kinds of entries. `expire` releases an expired hold; `expire_credits` removes expired credits from `available`.
 */
export const entryKinds = ['grant', 'hold', 'settle', 'release', 'expire', 'expire_credits'] as const;

export type EntryKind = (typeof entryKinds)[number];

/** The two halves of a statement: credits moved by work, and credits granted or expired without any work. */
export const movements = {
  spending: ['hold', 'settle', 'release', 'expire'],
  grants: ['grant', 'expire_credits'],
} as const satisfies Readonly<Record<string, readonly EntryKind[]>>;

export type Movements = keyof typeof movements;

/** The half of a statement to return; both if omitted. */
export const movementsField = z
  .enum(['spending', 'grants'])
  .optional()
  .describe(
    'Only entries of work that reserved, spent or returned credits (`spending`), or only grants and expiries (`grants`).',
  );

/** One movement of credits; it never changes. */
export const ledgerEntry = z.object({
  entryId: z.int().positive().describe('Increases with time within an account.'),
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

/** The query parameters that select a page of a list: rows of a period, newest first, starting at a cursor. */
export const pageQuery = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional().describe('Start of the period, inclusive.'),
  until: z.iso.datetime({ offset: true }).optional().describe('End of the period, exclusive.'),
  cursor: z.string().max(64).optional().describe('`nextCursor` of the previous page.'),
  limit: queryNumber(1, limits.pageRowsMax).default(limits.pageRowsDefault),
});

/** The opaque cursor of the next page; absent on the last page. */
export const nextCursor = z.string().optional();
