import type { Schema } from '../api/client.ts';

export type Reason = Schema['ValidationDetails']['reason'];

interface ReasonWords {
  /** Why the result is what it is, in a sentence for people who do not write code. */
  readonly why: string;
  /** What to do about it; nothing where the result says it all. */
  readonly next?: string;
}

/** The one place where reasons are put into words for people. */
export const reasonWords = {
  mailbox_exists: { why: 'Its mail server knows this mailbox, and refuses made-up ones.' },
  catch_all: {
    why: 'Its domain takes mail for every name, even for made-up ones. So nobody outside can tell whether somebody reads it.',
    next: 'Send to it only if you can bear a bounce, and report what becomes of it: that is the best evidence there is.',
  },
  evidence_confirms: {
    why: 'Its domain takes mail for every name, but there is proof enough that this very mailbox exists.',
  },
  mailbox_missing: {
    why: 'Its mail server says that there is no such mailbox.',
    next: 'Look for a misspelling, or for another address of the same person.',
  },
  mailbox_disabled: {
    why: 'The mailbox was switched off and takes no mail any more.',
    next: 'Whoever had it has probably left. Take it off your list.',
  },
  domain_missing: {
    why: 'There is no such domain on the internet.',
    next: 'Look for a misspelling behind the @.',
  },
  no_mail_host: {
    why: 'Its domain says that it takes no mail at all.',
    next: 'Look for the domain that this company uses for mail.',
  },
  mailbox_full: {
    why: 'The mailbox exists, but it is full, so mail may come back for now.',
    next: 'Check again in a few days. A mailbox that stays full is no longer read.',
  },
  mailbox_rate_limited: {
    why: 'The mailbox exists, but gets more mail right now than its server takes.',
    next: 'Check again in an hour.',
  },
  greylisted: {
    why: 'Its mail server asks everybody whom it does not know to come back later. That says nothing about the mailbox.',
    next: 'Check again in some minutes. In a list, we come back by ourselves.',
  },
  blocked: {
    why: 'Its mail server turned us away before it said anything about the mailbox.',
    next: 'Another day may bring another answer.',
  },
  policy: {
    why: 'Its mail server refuses for a rule of its own, such as mail from inside only, which says nothing about whether the mailbox exists.',
  },
  temporary_failure: {
    why: 'Its mail server reports a fault that will pass.',
    next: 'Check again in an hour.',
  },
  protocol_error: { why: 'What its mail server answers makes no sense, so nothing can be learnt from it.' },
  probe_inconclusive: {
    why: 'Its mail server took the address, but would not let us find out whether it takes every address.',
    next: 'Check again in some minutes.',
  },
  host_busy: {
    why: 'We already ask this mail server as much as is polite.',
    next: 'Check again in a moment.',
  },
  connection_failed: {
    why: 'None of its mail servers could be reached.',
    next: 'Check again in an hour; servers come back.',
  },
  session_timeout: {
    why: 'Its mail server did not answer in time.',
    next: 'Check again in a moment.',
  },
  forbidden_address: {
    why: 'Its mail servers are said to be at addresses that belong to nobody on the internet, so they were left alone.',
  },
  dns_timeout: {
    why: 'The directory that knows its mail servers did not answer in time.',
    next: 'Check again in a moment.',
  },
  dns_failure: {
    why: 'The directory that knows its mail servers is broken for this domain.',
    next: 'Check again tomorrow.',
  },
  smtputf8_unsupported: {
    why: 'The address has letters that its mail server cannot read, so it could not be asked about it.',
    next: 'Look for a spelling with plain letters.',
  },
  unsupported_address: { why: 'Addresses of this form are not checked, although they may be right.' },
  do_not_probe: {
    why: 'Whoever runs this domain or its mail server asked us not to check its addresses, and we do not.',
  },
  harvest_suspected: {
    why: 'Your account asked about so many addresses of this domain that do not exist that we ask about no further ones today.',
    next: 'Go on tomorrow, with addresses that you have reason to believe in.',
  },
  own_network_failed: {
    why: 'Our own connection to the internet failed, so no mail server could be asked.',
    next: 'Check again in a moment.',
  },
} as const satisfies Readonly<Record<Reason, ReasonWords>>;

/** The words for a reason; those of the API for one that is newer than this page. */
export function wordsOf(reason: string, explanation = ''): ReasonWords {
  return Object.hasOwn(reasonWords, reason) ? reasonWords[reason as Reason] : { why: explanation };
}
