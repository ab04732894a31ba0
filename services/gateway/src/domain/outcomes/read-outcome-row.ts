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

/** Reads one row. Without a date, the outcome is dated today, so the same file counts once a day. */
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
      detail: `"${shown(word)}" is not one of ${reportableOutcomes.join(', ')}.`,
    };
  }
  const date = cell(columns.date);
  const observedAt = date === '' ? startOfDay(nowMs) : momentOf(date);
  if (observedAt === undefined) {
    return {
      fault: 'invalid_date',
      detail: `"${shown(date)}" is not a date such as 2026-07-31, 2026-07-31T12:00:00Z or Unix time.`,
    };
  }
  // Truncation can leave half a surrogate pair, which no request may contain.
  const code = cell(columns.code).slice(0, codeCharactersMax).toWellFormed();
  const text = cell(columns.text).slice(0, limits.bounceTextCharactersMax).toWellFormed();
  return {
    outcome: {
      // Truncated to a length above that of any valid address, so it is still refused as too long.
      email: email.slice(0, emailCharactersMax).toWellFormed(),
      outcome,
      observedAt,
      ...(code !== '' && { code }),
      ...(text !== '' && { text }),
    },
  };
}

/** What mail services call outcomes, in lower case and letters only. Opens and clicks imply delivery. */
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

/** ISO 8601, in UTC if it names no zone, or Unix time in seconds or milliseconds. Other date formats are ambiguous. */
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
  // JavaScript parses the 31st of February as a day in March.
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
