import type { Schema } from '../api/client.ts';

type Reason = Schema['ValidationDetails']['reason'];

interface ReasonWords {
  /** The reason in a few words, for a table. */
  readonly name: string;
  /** The reason for the result, in a sentence for non-programmers. */
  readonly why: string;
  /** What to do about it; omitted if the result needs no action. */
  readonly next?: string;
}

/** The only display texts for reasons. */
export const reasonWords = {
  mailbox_exists: {
    name: 'Mailbox exists',
    why: 'Its mail server knows this mailbox and rejects made-up ones.',
  },
  catch_all: {
    name: 'Accepts every address',
    why: 'Its domain accepts mail for every name, even for made-up ones, so we cannot tell whether this mailbox is read.',
    next: 'Send only if you can accept a bounce, and report the outcome: that is the best evidence.',
  },
  evidence_confirms: {
    name: 'Evidence confirms it',
    why: 'Its domain accepts mail for every name, but the evidence shows that this mailbox exists.',
  },
  mailbox_missing: {
    name: 'Mailbox does not exist',
    why: 'Its mail server reports that the mailbox does not exist.',
    next: 'Check for a misspelling, or find another address for this person.',
  },
  mailbox_disabled: {
    name: 'Mailbox is disabled',
    why: 'The mailbox is disabled and no longer accepts mail.',
    next: 'The person has probably left. Remove the address from your list.',
  },
  domain_missing: {
    name: 'Domain does not exist',
    why: 'The domain does not exist.',
    next: 'Check for a misspelling after the @.',
  },
  no_mail_host: {
    name: 'Domain receives no mail',
    why: 'Its domain does not receive mail.',
    next: 'Find the domain that this company uses for mail.',
  },
  mailbox_full: {
    name: 'Mailbox is full',
    why: 'The mailbox exists, but it is full, so mail may bounce for now.',
    next: 'Check again in a few days. A mailbox that stays full is no longer read.',
  },
  mailbox_rate_limited: {
    name: 'Mailbox gets too much mail',
    why: 'The mailbox exists, but receives more mail right now than its server accepts.',
    next: 'Check again in an hour.',
  },
  greylisted: {
    name: 'Greylisted',
    why: 'Its mail server asks unknown senders to retry later. This reveals nothing about the mailbox.',
    next: 'Check again in a few minutes. In a list, we retry automatically.',
  },
  blocked: {
    name: 'Mail server rejected us',
    why: 'Its mail server rejected us before it revealed anything about the mailbox.',
    next: 'Try again another day.',
  },
  policy: {
    name: 'Rejected by a policy',
    why: 'Its mail server rejected the request because of its policy, such as internal mail only. This reveals nothing about the mailbox.',
  },
  temporary_failure: {
    name: 'Temporary error',
    why: 'Its mail server reports a temporary error.',
    next: 'Check again in an hour.',
  },
  protocol_error: {
    name: 'Invalid response',
    why: 'Its mail server’s response is not valid, so it reveals nothing.',
  },
  probe_inconclusive: {
    name: 'Check is inconclusive',
    why: 'Its mail server accepted the address, but we could not check whether it accepts every address.',
    next: 'Check again in a few minutes.',
  },
  host_busy: {
    name: 'Rate limit reached',
    why: 'The rate limit for this mail server is reached.',
    next: 'Check again in a moment.',
  },
  connection_failed: {
    name: 'No mail server reached',
    why: 'None of its mail servers could be reached.',
    next: 'Check again in an hour.',
  },
  session_timeout: {
    name: 'Mail server too slow',
    why: 'Its mail server did not respond in time.',
    next: 'Check again in a moment.',
  },
  forbidden_address: {
    name: 'Mail server is not public',
    why: 'Its mail servers have IP addresses that are not on the public internet, so they were not contacted.',
  },
  dns_timeout: {
    name: 'Name servers too slow',
    why: 'The domain’s name servers did not respond in time.',
    next: 'Check again in a moment.',
  },
  dns_failure: {
    name: 'Name servers failed',
    why: 'The domain’s name servers responded with a failure.',
    next: 'Check again tomorrow.',
  },
  smtputf8_unsupported: {
    name: 'Letters not supported',
    why: 'The address has letters that its mail server does not support, so it could not be checked.',
    next: 'Use an address with ASCII letters only.',
  },
  unsupported_address: {
    name: 'Form is not checked',
    why: 'Addresses of this form are not checked, although they may be valid.',
  },
  do_not_probe: {
    name: 'Owner opted out',
    why: 'The owner of this domain or its mail server opted out of address checks.',
  },
  harvest_suspected: {
    name: 'Too many wrong addresses',
    why: 'Your account checked so many nonexistent addresses at this domain that we check no more of its addresses today.',
    next: 'Continue tomorrow, with addresses that you have reason to trust.',
  },
  own_network_failed: {
    name: 'Our network failed',
    why: 'Our own network connection failed, so no mail server could be queried.',
    next: 'Check again in a moment.',
  },
} as const satisfies Readonly<Record<Reason, ReasonWords>>;

/** Returns the text for a reason; if the reason is newer than this page, the API's explanation. */
export function wordsOf(reason: string, explanation = ''): ReasonWords {
  return Object.hasOwn(reasonWords, reason)
    ? reasonWords[reason as Reason]
    : { name: explanation, why: explanation };
}

type Result = Schema['AddressCheck']['result'];

/** The headline of each result: the text before the address and the text after it. */
const headlines: Readonly<Record<Result, readonly [before: string, after: string]>> = {
  ok: ['Mail to', 'will arrive'],
  catch_all_validated: ['Mail to', 'will very likely arrive'],
  catch_all: ['Mail to', 'will be accepted, but may not be read'],
  invalid: ['Mail to', 'will not arrive'],
  unknown: ['We cannot tell yet whether mail to', 'will arrive'],
};

/** Returns the headline of a result, as the parts before and after the address. */
export function headlineOf(result: Result): readonly [before: string, after: string] {
  return headlines[result];
}

/** Returns the headline as one sentence. */
export function sentenceOf(result: Result, email: string): string {
  const [before, after] = headlines[result];
  return `${before} ${email} ${after}.`;
}
