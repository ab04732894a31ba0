import type { FaultCode } from '@mailproof/shared-types';
import { wordsOf } from '../../verdicts/reasons.ts';
import type { Shown } from './job-search.ts';

export const shownNames = {
  ok: 'OK',
  catch_all_validated: 'Catch-all, validated',
  catch_all: 'Catch-all',
  invalid: 'Invalid',
  unknown: 'Unknown',
  none: 'No result',
  valid: 'Addresses',
  broken: 'Broken',
  blank: 'Blank',
  duplicate: 'Duplicates',
} as const satisfies Record<Shown, string>;

/** What a cell has in place of an address, and what to look for. */
const faultWords = {
  empty: 'There is no address.',
  not_unicode: 'It has characters that are damaged.',
  invisible_character: 'It has a character inside that cannot be seen, such as a zero-width space.',
  at_sign_missing: 'It has no @.',
  address_too_long: 'It is longer than addresses may be.',
  local_part_empty: 'There is nothing before the @.',
  local_part_too_long: 'What stands before the @ is too long.',
  local_part_character: 'There is a character before the @ that no address has.',
  local_part_dots: 'The dots before the @ are at its end or beside each other.',
  quotes_unbalanced: 'A quote is opened and never closed.',
  comment: 'It has a comment in parentheses.',
  domain_empty: 'There is nothing after the @.',
  domain_too_long: 'What stands after the @ is too long.',
  domain_label: 'What stands after the @ is no domain.',
  domain_character: 'There is a character after the @ that no domain has.',
  address_literal: 'What stands in brackets is no network address.',
} as const satisfies Record<FaultCode, string>;

/** Why a row has no address that could be asked about. */
export function faultSentence(fault: string): string {
  if (fault === 'blank') return 'The row has no address.';
  if (fault === 'encoding_guessed') {
    return 'Its letters may be wrong, because the file does not declare its encoding. Choose the encoding and upload it again.';
  }
  return Object.hasOwn(faultWords, fault) ? faultWords[fault as FaultCode] : 'It is no address.';
}

/** Why a verdict is what it is. */
export function reasonSentence(reason: string): string {
  return reason === 'syntax'
    ? 'What stands in the row is no email address.'
    : wordsOf(reason, reason.replaceAll('_', ' ')).why;
}

export const emailTypeNames = {
  business: 'Business',
  personal: 'Personal',
  education: 'Education',
  government: 'Government',
  disposable: 'Disposable',
} as const;

/** `google_workspace` as people write it: `Google Workspace`. */
export function providerName(provider: string): string {
  return provider
    .split('_')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

export function delimiterName(delimiter: string): string {
  const names: Record<string, string> = {
    '': 'one cell a line',
    ',': 'commas',
    ';': 'semicolons',
    '\t': 'tabs',
    '|': 'vertical bars',
    ' ': 'spaces',
  };
  return names[delimiter] ?? `the character ${delimiter}`;
}

/** What to do about a refusal, where the words of the API speak to programs. */
export function refusalAdvice(code: string | undefined): string | undefined {
  switch (code) {
    case 'too_many_rows':
      return 'Split the list into parts, and send each of them by itself. Nothing was kept or charged.';
    case 'body_too_large':
      return 'Leave out columns that you do not need, or split the file. Nothing was kept or charged.';
    case 'file_not_readable':
      return 'Open it in your spreadsheet program, save it as CSV (UTF-8), and send that file. Nothing was kept or charged.';
    case 'no_addresses_found':
      return 'Look whether one column has email addresses. If it has, say below how the file is to be read. Nothing was kept or charged.';
    case 'too_many_unstarted_jobs':
      return 'Start or delete some of the lists that are ready, then send this one again.';
    case 'request_timeout':
      return 'Send it again, over a faster connection if there is one. Nothing was kept or charged.';
    default:
      return undefined;
  }
}
