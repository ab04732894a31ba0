import { z } from 'zod';
import { requestId } from '../../ids.ts';
import type { KeyScope } from '../../key-scopes.ts';
import { entryKinds, holdStates } from '../internal/ledger/parts.ts';
import { credits } from '../public-parts.ts';
import { pageOf } from './discovery-parts.ts';

/** A signed-in user, or a program with an API key that has the scope. */
export function memberOrKey(scope: KeyScope) {
  return { kind: 'session', role: 'member', byKey: { scope } } as const;
}

/** A signed-in user who owns the account, or a program with an API key that has the scope. */
export function ownerOrKey(scope: KeyScope) {
  return { kind: 'session', role: 'owner', byKey: { scope } } as const;
}

/** Why no API key opens an operation. */
const reasons = {
  people: 'Only a person manages users, sessions, passwords and assistants.',
  browser: 'A person consents in a browser.',
  ownKey: 'A leaked key could replace itself or create others, and its owner would be locked out.',
  purchase: 'Only a person orders a plan.',
  deletion: 'Only a person takes everything out of an account or deletes it.',
  notices: 'Notices are for people; programs receive events with webhooks.',
  twin: 'The REST API has its own operation for this.',
} as const;

type Reason = keyof typeof reasons;

/** A signed-in user. */
export function memberOnly(reason: Reason) {
  return { kind: 'session', role: 'member', byKey: reasons[reason] } as const;
}

/** A signed-in user who owns the account. */
export function ownerOnly(reason: Reason) {
  return { kind: 'session', role: 'owner', byKey: reasons[reason] } as const;
}

/** A time recorded by the ledger. */
export const moment = z.iso.datetime();

/** The period of a list. Its times have a UTC offset, so that midnight is never ambiguous. */
const period = {
  from: z.iso.datetime({ offset: true }).optional().describe('Start of the period, inclusive.'),
  until: z.iso.datetime({ offset: true }).optional().describe('End of the period, exclusive.'),
};

export const periodQuery = z.strictObject(period);

/** The query parameters that select a page of a list, newest first. */
export const listQuery = z.strictObject({
  ...period,
  ...pageOf,
});

/** The cursor of the next page; absent on the last page. */
export const nextCursorField = z.string().optional().describe('Send it as `cursor` to get the next page.');

/** One movement of credits as shown to users. */
export const statementEntry = z
  .object({
    entry_id: z
      .string()
      .describe('Unique within the account. Ids are not in order; the list is ordered by time.'),
    at: moment,
    kind: z.enum(entryKinds),
    description: z.string().describe('Display text of the entry.'),
    operation: z.string().describe('The operation that caused the entry.'),
    run_id: z.string().nullable(),
    request_id: requestId.nullable().describe('The `x-request-id` of the request that caused it.'),
    change: z.int().describe('Change in available credits.'),
    held_change: z.int().describe('Change in credits held by work in progress.'),
    balance_after: credits.describe('Available credits after the entry.'),
    held_after: credits,
  })
  .meta({ id: 'StatementEntry' });

/** What happened to the credits of one run. */
export const accountReceipt = z
  .object({
    run_id: z.string(),
    operation: z.string(),
    request_id: requestId.nullable(),
    state: z.enum(holdStates),
    reserved: credits,
    spent: credits,
    returned: credits,
    refunded: credits.describe('Spent credits that were refunded later.'),
    opened_at: moment,
    closed_at: moment.nullable().describe('Null while the run holds its credits.'),
  })
  .meta({ id: 'Receipt' });
