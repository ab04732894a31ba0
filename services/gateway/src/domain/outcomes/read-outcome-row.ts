import {
  limits,
  type ReportableOutcome,
  type ReportedOutcome,
  reportableOutcomes,
} from '@mailproof/shared-types';
import type { OutcomeColumns } from './outcome-columns.ts';

export type ReadRow =
  | { readonly outcome: ReportedOutcome }
  | { readonly fault: 'email_missing' | 'unknown_outcome' | 'invalid_date'; readonly detail: string };

const shownCharactersMax = 60;
const emailCharactersMax = 1_000;
const codeCharactersMax = 100;

/** Reads one row; where it has no date, the outcome is of today, so that the same file counts once a day. */
export function readOutcomeRow(record: readonly string[], columns: OutcomeColumns, nowMs: number): ReadRow {
  const cell = (column: number | undefined) => (column === undefined ? '' : (record[column]?.trim() ?? ''));
  const email = cell(columns.email);
  if (email === '') {
    return { fault: 'email_missing', detail: 'The row has no address.' };
  }
  const word = cell(columns.outcome);
  const outcome = outcomeOf(word);
  if (outcome === undefined) {
    return {
      fault: 'unknown_outcome',
      detail: `"${shown(word)}" is none of ${reportableOutcomes.join(', ')}.`,
    };
  }
  const date = cell(columns.date);
  const observedAt = date === '' ? startOfDay(nowMs) : momentOf(date);
  if (observedAt === undefined) {
    return {
      fault: 'invalid_date',
      detail: `"${shown(date)}" is no date in the form 2026-07-31, 2026-07-31T12:00:00Z or Unix time.`,
    };
  }
  // A cut can leave half a surrogate pair, which no request may hold.
  const code = cell(columns.code).slice(0, codeCharactersMax).toWellFormed();
  const text = cell(columns.text).slice(0, limits.bounceTextCharactersMax).toWellFormed();
  return {
    outcome: {
      // Longer than any address, and still long enough to be refused as what it is.
      email: email.slice(0, emailCharactersMax).toWellFormed(),
      outcome,
      observedAt,
      ...(code !== '' && { code }),
      ...(text !== '' && { text }),
    },
  };
}

/** What mail services call outcomes, in lower case and with letters alone. Opening and clicking take delivery. */
const words: Readonly<Record<ReportableOutcome, ReadonlySet<string>>> = {
  delivered: new Set([
    'delivered',
    'delivery',
    'deliver',
    'success',
    'ok',
    'open',
    'opened',
    'click',
    'clicked',
    'uniqueopened',
  ]),
  replied: new Set(['replied', 'reply', 'replyreceived', 'answered', 'responded', 'response']),
  bounced: new Set([
    'bounced',
    'bounce',
    'hardbounce',
    'hardbounced',
    'softbounce',
    'softbounced',
    'permanentbounce',
    'transientbounce',
    'failed',
    'failure',
    'undelivered',
    'undeliverable',
    'returned',
    'rejected',
    'blocked',
    'block',
  ]),
};

function outcomeOf(text: string): ReportableOutcome | undefined {
  const word = text.toLowerCase().replace(/[^a-z]/g, '');
  return reportableOutcomes.find(outcome => words[outcome].has(word));
}

const isoDate =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)? ?(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** ISO 8601, in UTC where it names no zone, or Unix time in seconds or milliseconds. Other dates can be read in two ways. */
function momentOf(text: string): string | undefined {
  if (/^\d{9,10}(?:\.\d+)?$/.test(text)) {
    return isoOf(Number(text) * 1_000);
  }
  if (/^\d{12,13}$/.test(text)) {
    return isoOf(Number(text));
  }
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] =
    isoDate.exec(text) ?? [];
  if (year === undefined) {
    return undefined;
  }
  const offset = /^(?:Z|UTC)$/i.test(zone) ? 'Z' : zone.replace(/^(.{3}):?/, '$1:');
  const date = `${year}-${month}-${day}`;
  const atMs = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  // JavaScript takes the 31st of February for a day in March.
  const exists = isoOf(Date.parse(`${date}T00:00:00Z`))?.startsWith(date) === true;
  return exists ? isoOf(atMs) : undefined;
}

function isoOf(atMs: number): string | undefined {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999 ? undefined : date.toISOString();
}

function startOfDay(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

function shown(text: string): string {
  return text.slice(0, shownCharactersMax).replace(/\p{Cc}/gu, '');
}
