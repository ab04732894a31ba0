import type { FaultCode, RowReason } from '@mailproof/shared-types';
import { countOf, formatClock, formatNumber } from '../../design/format.ts';
import { wordsOf } from '../../verdicts/reasons.ts';
import type { Job, Shown } from './job-search.ts';

export const shownNames = {
  ok: 'OK',
  catch_all_validated: 'Catch-all, validated',
  catch_all: 'Catch-all',
  invalid: 'Invalid',
  unknown: 'Unknown',
  none: 'No result',
  valid: 'Addresses',
  broken: 'Malformed',
  blank: 'Blank',
  duplicate: 'Duplicates',
} as const satisfies Record<Shown, string>;

/** Explains why a cell is not a valid address. */
const faultWords = {
  empty: 'The address is empty.',
  not_unicode: 'The address has damaged characters.',
  invisible_character: 'The address has an invisible character, such as a zero-width space.',
  at_sign_missing: 'The @ is missing.',
  address_too_long: 'The address is too long.',
  local_part_empty: 'There is nothing before the @.',
  local_part_too_long: 'The part before the @ is too long.',
  local_part_character: 'The part before the @ has an invalid character.',
  local_part_dots: 'The dots before the @ are misplaced.',
  quotes_unbalanced: 'A quotation mark is not closed.',
  comment: 'The address has a comment in parentheses.',
  domain_empty: 'There is nothing after the @.',
  domain_too_long: 'The domain is too long.',
  domain_label: 'The domain is not valid.',
  domain_character: 'The domain has an invalid character.',
  address_literal: 'The part in brackets is not an IP address.',
} as const satisfies Record<FaultCode, string>;

/** Explains why a row has no address to validate. */
export function faultSentence(fault: string): string {
  if (fault === 'blank') return 'The row has no address.';
  if (fault === 'encoding_guessed') {
    return 'Its letters may be wrong, because the file does not declare its encoding. Choose the encoding and upload it again.';
  }
  return Object.hasOwn(faultWords, fault) ? faultWords[fault as FaultCode] : 'Not a valid address.';
}

const rowReasonWords = {
  syntax: 'The cell is not a valid email address.',
  not_finished: 'The validation was finished before the address had a result.',
} as const satisfies Record<RowReason, string>;

/** Explains the reason of a result. */
export function reasonSentence(reason: string): string {
  return Object.hasOwn(rowReasonWords, reason)
    ? rowReasonWords[reason as RowReason]
    : wordsOf(reason, reason.replaceAll('_', ' ')).why;
}

const rowReasonNames = {
  syntax: 'Not an email address',
  not_finished: 'Finished before a result',
} as const satisfies Record<RowReason, string>;

/** The reason of a result in a few words, for a table. */
export function reasonName(reason: string): string {
  return Object.hasOwn(rowReasonNames, reason)
    ? rowReasonNames[reason as RowReason]
    : wordsOf(reason, reason.replaceAll('_', ' ')).name;
}

export const emailTypeNames = {
  business: 'Business',
  personal: 'Personal',
  education: 'Education',
  government: 'Government',
  disposable: 'Disposable',
} as const;

export function delimiterName(delimiter: string): string {
  const names: Record<string, string> = {
    '': 'one cell per line',
    ',': 'commas',
    ';': 'semicolons',
    '\t': 'tabs',
    '|': 'vertical bars',
    ' ': 'spaces',
  };
  return names[delimiter] ?? `the character ${delimiter}`;
}

/** The sheets of a workbook to choose from: the first ones, and the one that was read. */
export function sheetsToRead({
  sheet,
  sheets,
}: Pick<NonNullable<Job['file']>, 'sheet' | 'sheets'>): string[] {
  return [...new Set([...sheets, ...(sheet ? [sheet] : [])])];
}

/**
 * Says which sheet of a workbook was read, and that there are others.
 *
 * @param canReadAgain whether the screen offers to read another one
 */
export function sheetWords(
  { sheet, sheets }: Pick<NonNullable<Job['file']>, 'sheet' | 'sheets'>,
  canReadAgain = false,
): string {
  const others = sheets.filter(name => name !== sheet);
  const read = `the sheet “${sheet}” of an Excel workbook.`;
  return others.length === 0
    ? read
    : `${read} Its other sheets are not in this list: ${others.join(', ')}.${canReadAgain ? '' : ' To read one of them, upload the file again and name it under “Format”.'}`;
}

/** Returns what to do about a refusal, if the API's text is worded for programs. */
export function refusalAdvice(code: string | undefined): string | undefined {
  switch (code) {
    case 'too_many_rows':
      return 'Split the list and upload each part separately. Nothing was stored or charged.';
    case 'body_too_large':
      return 'Remove columns that you do not need, or split the file. Nothing was stored or charged.';
    case 'file_not_readable':
      return 'Open it in your spreadsheet program, save it as CSV (UTF-8), and upload that file. Nothing was stored or charged.';
    case 'no_addresses_found':
      return 'Check that one column contains email addresses. If it does, choose the format of the file. Nothing was stored or charged.';
    case 'too_many_unstarted_jobs':
      return 'Start or delete some lists that are ready, then upload this one again.';
    case 'idempotency_key_in_use':
      return 'Your first upload of this list is still being read. Wait a few seconds, then upload it again: you get one list.';
    case 'request_timeout':
      return 'Upload it again, over a faster connection if possible. Nothing was stored or charged.';
    default:
      return undefined;
  }
}

type Wait = Job['waiting_for'][number];

const waitNouns = {
  greylisting: ['waits for greylisting', 'wait for greylisting'],
  host_limit: ['waits for a busy mail server', 'wait for busy mail servers'],
  retry: ['is retried', 'are retried'],
} as const satisfies Record<Wait['reason'], readonly [string, string]>;

/** Says how many rows wait, for what, and until when: `3 rows wait for greylisting until 12:40 PM`. */
export function waitTitle({ reason, rows, until }: Wait): string {
  const [one, many] = waitNouns[reason];
  const by = reason === 'retry' ? 'by' : 'until';
  return `${countOf(rows, `row ${one}`, `rows ${many}`)} ${by} ${formatClock(until)}`;
}

const waitReasons = {
  greylisting:
    'These mail servers ask unknown senders to retry later, and may ask for another wait. You do not need to do anything. Or finish now, and validate these rows again later.',
  host_limit: 'We probe each mail server with a few sessions at a time, and yours are next in line.',
  retry: 'Their mail servers or name servers failed, so we try them again.',
} as const satisfies Record<Wait['reason'], string>;

/** Explains a wait: its reason, the next attempt, and the mail hosts. */
export function waitSentence({ reason, addresses, next_at, mail_hosts }: Wait): string {
  const named = mail_hosts.reduce((sum, host) => sum + host.addresses, 0);
  const hosts = mail_hosts.map(host => `${host.mail_host} (${formatNumber(host.addresses)})`);
  const others = named < addresses ? [`others (${formatNumber(addresses - named)})`] : [];
  return `${waitReasons[reason]} Next attempt: ${formatClock(next_at)}. Addresses by mail server: ${[...hosts, ...others].join(', ')}.`;
}
