import { z } from 'zod';
import { accountId, holdId } from '../../ids.ts';
import { credits } from '../public-parts.ts';

/** A sum of credits that moves: at least one. */
export const creditAmount = z.int().positive().max(1_000_000_000);

/** The operation on whose behalf credits move, in the contract's names. */
export const cause = z.string().regex(/^[a-z][a-z0-9-]{1,63}$/, 'must be the id of an operation');

/** An account's credits after an operation. */
export const balance = z
  .object({
    accountId,
    available: credits.describe('Credits that can be spent or held.'),
    held: credits.describe('Credits reserved by pending holds.'),
  })
  .meta({ id: 'Balance' });

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
  available: credits.describe('Credits that the account can spend after this operation.'),
});
