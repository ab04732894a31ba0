import { z } from 'zod';
import { requestId } from '../../ids.ts';
import { entryKinds, holdStates } from '../internal/ledger/parts.ts';
import { credits } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';

export const memberOnly = { kind: 'session', role: 'member' } as const;
export const ownerOnly = { kind: 'session', role: 'owner' } as const;

/** A moment, as the ledger wrote it down. */
export const moment = z.iso.datetime();

/** The period of a list; whole moments with their zone, so that nobody has to guess whose midnight is meant. */
const period = {
  from: z.iso.datetime({ offset: true }).optional().describe('From this moment on.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Before this moment.'),
};

export const periodQuery = z.strictObject(period);

/** Which part of a list, newest first. */
export const listQuery = z.strictObject({
  ...period,
  ...pageOf,
});

/** Absent on the last page. */
export const nextCursorField = z.string().optional().describe('Send it as `cursor` for the next page.');

/** One movement of credits, as people read it. */
export const statementEntry = z
  .object({
    entry_id: z
      .string()
      .describe(
        'Identifies the entry within the account. Ids are not in order; the list is in order of time.',
      ),
    at: moment,
    kind: z.enum(entryKinds),
    description: z.string().describe('What happened, in words.'),
    operation: z.string().describe('The operation that moved the credits.'),
    run_id: z.string().nullable(),
    request_id: requestId.nullable().describe('The `x-request-id` of the request behind it.'),
    change: z.int().describe('Change of the credits that can be spent.'),
    held_change: z.int().describe('Change of the credits that running work holds.'),
    balance_after: credits.describe('Credits that could be spent after it.'),
    held_after: credits,
  })
  .meta({ id: 'StatementEntry' });

/** What became of the credits of one run. */
export const accountReceipt = z
  .object({
    run_id: z.string(),
    operation: z.string(),
    request_id: requestId.nullable(),
    state: z.enum(holdStates),
    reserved: credits,
    spent: credits,
    returned: credits,
    refunded: credits.describe('Credits of what was spent that were given back afterwards.'),
    opened_at: moment,
    closed_at: moment.nullable().describe('Null while the run holds its credits.'),
  })
  .meta({ id: 'Receipt' });
