import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Line } from './conversation.ts';
import { type Finding, find } from './open-session.ts';
import type { Reply } from './reply.ts';
import type { Exchange, Stage, Transcript } from './transcript.ts';

/** What has to be known of a recipient to ask a mail host about it. */
export interface Recipient {
  /** As it stands in commands (RFC 5321 section 4.1.2). */
  readonly localPart: string;
  /** In A-labels, or an address literal. */
  readonly domain: string;
  /** True where only SMTPUTF8 can carry it (RFC 6531). */
  readonly international: boolean;
  /** Whose host is asked, where that is known; the same words mean different things at different houses. */
  readonly provider: string | undefined;
}

/**
 * Recipients that are asked about between MAIL and RSET: all of one domain, because some hosts take one destination at
 * a time, and all alike in needing SMTPUTF8 or not.
 */
export type Transaction = readonly Recipient[];

/** What one host said about one recipient. */
export type Heard =
  | {
      readonly kind: 'answered';
      readonly finding: Finding;
      /** The reply to RCPT; none where the host failed over it. */
      readonly reply?: Reply;
      /** The first of its transaction, so that no limit on recipients can explain the answer. */
      readonly first: boolean;
      /** Another was accepted earlier in its transaction; there are hosts that then accept everybody. */
      readonly afterAcceptance: boolean;
      readonly transcript: Transcript;
    }
  /** The transaction came to an end before or after the recipient, in a way that leaves it unanswered. */
  | {
      readonly kind: 'ended';
      readonly stage: Stage;
      readonly finding: Finding;
      readonly transcript: Transcript;
    }
  /** The session was over before its turn came. */
  | { readonly kind: 'unreached' };

/**
 * The lines of one transaction. RSET ends it: there is never a message, and its reply shows whether the host still
 * answers what it is asked.
 */
export function linesOf(recipients: Transaction, mailFrom: string): readonly Line[] {
  const parameters = recipients.some(({ international }) => international) ? ' SMTPUTF8' : '';
  return [
    { stage: 'mail', command: `MAIL FROM:<${mailFrom}>${parameters}` },
    ...recipients.map(rcptLine),
    { stage: 'rset', command: 'RSET' },
  ];
}

export function rcptLine({ localPart, domain }: Pick<Recipient, 'localPart' | 'domain'>): Line {
  return { stage: 'rcpt', command: `RCPT TO:<${localPart}@${domain}>` };
}

/**
 * Reads what came of a transaction, in the order of its recipients.
 *
 * @param exchanges those with the lines of the transaction, in order; they may end early
 */
export function readTransaction(recipients: Transaction, exchanges: readonly Exchange[]): readonly Heard[] {
  const mail = exchanges[0];
  if (mail === undefined) {
    return recipients.map(() => ({ kind: 'unreached' }));
  }
  return recipients.map((recipient, index): Heard => {
    const begun = find(mail.outcome, 'mail', recipient.provider);
    if (begun !== 'accepted') {
      return { kind: 'ended', stage: 'mail', finding: begun, transcript: [mail] };
    }
    const asked = exchanges[index + 1];
    if (asked?.stage !== 'rcpt') {
      return { kind: 'unreached' };
    }
    return {
      kind: 'answered',
      finding: find(asked.outcome, 'rcpt', recipient.provider),
      ...(asked.outcome.kind === 'reply' && { reply: asked.outcome.reply }),
      first: index === 0,
      afterAcceptance: exchanges.slice(1, index + 1).some(({ outcome }) => isAcceptance(outcome)),
      transcript: [mail, asked],
    };
  });
}

/**
 * What is heard of recipients where no answer of a flight can be told from another, or some were lost: the
 * reply in a place may be about another recipient, and is not shown to any caller.
 */
export function unreadable(recipients: Transaction, failure: SmtpFailure): readonly Heard[] {
  return recipients.map(recipient => ({
    kind: 'ended',
    stage: 'rset',
    finding: failure === 'garbled' ? 'unexpected' : failure,
    transcript: [{ ...rcptLine(recipient), outcome: { kind: 'failure', failure } }],
  }));
}

function isAcceptance(outcome: SmtpOutcome): boolean {
  return outcome.kind === 'reply' && outcome.reply.code < 300;
}
