import type { SmtpFailure } from './connection.ts';
import type { Line } from './conversation.ts';
import { type Finding, find } from './conversation.ts';
import type { Reply } from './reply.ts';
import type { Exchange, Stage, Transcript } from './transcript.ts';

/** What must be known about a recipient to ask a mail host about it. */
export interface Recipient {
  /** As written in commands (RFC 5321 section 4.1.2). */
  readonly localPart: string;
  /** In A-labels, or an address literal. */
  readonly domain: string;
  /** True if only SMTPUTF8 can carry it (RFC 6531). */
  readonly international: boolean;
  /** The provider whose host is asked, if known; the same words mean different things at different providers. */
  readonly provider: string | undefined;
}

/**
 * Recipients that are asked about between MAIL and RSET. All have the same domain, because some hosts take one
 * destination at a time, and either all or none of them need SMTPUTF8.
 */
export type Transaction = readonly Recipient[];

/** What one host said about one recipient. */
export type Heard =
  | {
      readonly kind: 'answered';
      readonly finding: Finding;
      /** The reply to RCPT; undefined if the host failed to reply. */
      readonly reply?: Reply;
      /** The first of its transaction, so that no limit on recipients can explain the answer. */
      readonly first: boolean;
      readonly transcript: Transcript;
    }
  /** The transaction ended before or after the recipient, in a way that leaves it unanswered. */
  | {
      readonly kind: 'ended';
      readonly stage: Stage;
      readonly finding: Finding;
      readonly transcript: Transcript;
    }
  /** The session was over before its turn came. */
  | { readonly kind: 'unreached' };

/**
 * The command lines of one transaction. RSET ends it: no message is ever sent, and the reply to RSET shows whether the
 * host still answers what it is asked.
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
 * Reads the answers of a transaction, in the order of its recipients.
 *
 * @param exchanges the exchanges of the transaction, in order; they may end early
 */
export function readTransaction(recipients: Transaction, exchanges: readonly Exchange[]): readonly Heard[] {
  const mail = exchanges[0];
  if (mail === undefined) {
    return recipients.map(() => ({ kind: 'unreached' }));
  }
  return recipients.map((recipient, index): Heard => {
    const mailFinding = find(mail.outcome, 'mail', recipient.provider);
    if (mailFinding !== 'accepted') {
      return { kind: 'ended', stage: 'mail', finding: mailFinding, transcript: [mail] };
    }
    const asked = exchanges[index + 1];
    if (asked?.stage !== 'rcpt') {
      return { kind: 'unreached' };
    }
    return {
      kind: 'answered',
      finding: find(asked.outcome, 'rcpt', recipient.provider, recipient.localPart),
      ...(asked.outcome.kind === 'reply' && { reply: asked.outcome.reply }),
      first: index === 0,
      transcript: [mail, asked],
    };
  });
}

/**
 * The result for recipients if the answers of a flight cannot be told apart, or some were lost: a reply may be about
 * another recipient, and is not shown to any caller.
 */
export function unreadable(recipients: Transaction, failure: SmtpFailure): readonly Heard[] {
  return recipients.map(recipient => ({
    kind: 'ended',
    stage: 'rset',
    finding: failure === 'garbled' ? 'unexpected' : failure,
    transcript: [{ ...rcptLine(recipient), outcome: { kind: 'failure', failure } }],
  }));
}
