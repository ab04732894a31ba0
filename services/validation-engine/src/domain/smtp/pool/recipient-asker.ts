import type { Deadline } from '../../deadline.ts';
import type { SmtpFailure } from '../connection.ts';
import type { Heard, Recipient } from '../transaction.ts';
import type { Transcript } from '../transcript.ts';

/** A question to one mail host about one recipient. */
export interface RecipientQuestion extends Recipient {
  /** The host's network address, which the guard has let through. */
  readonly address: string;
  /** Name of the host, for TLS; undefined for a literal. */
  readonly serverName: string | undefined;
  /** For hosts that dislike several recipients in one transaction. */
  readonly alone: boolean;
  /** Made up, and asked about last on purpose, so that its being late is no reason to doubt its refusal. */
  readonly cover?: boolean;
  /** Has to be the first recipient of its session, so that nothing said before it explains its answer. */
  readonly fresh?: boolean;
}

export type RecipientAnswer =
  | { readonly kind: 'not_connected'; readonly failure: SmtpFailure }
  | (Said &
      (
        | Exclude<Heard, { kind: 'unreached' }>
        /** The local part needs SMTPUTF8 and the host does not offer it. */
        | { readonly kind: 'smtputf8_unsupported'; readonly transcript: Transcript }
      ));

/** What was said in the session, besides the transcript of what was said about the recipient. */
interface Said {
  /** The greeting and the introductions: the same for everybody in the session. */
  readonly opening: Transcript;
  /** Within a session, a later question has a greater number; none where it was not put. */
  readonly turn?: number;
}

/**
 * Asks again without company where an acceptance may be owed to that of another, at a host that has not been seen to
 * tell recipients apart then. What was said so far stays in the transcript.
 */
export async function askApart(
  asker: RecipientAsker,
  question: RecipientQuestion,
  answer: RecipientAnswer,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  if (answer.kind !== 'answered' || answer.finding !== 'accepted' || !answer.afterAcceptance) {
    return answer;
  }
  return askAgain(asker, { ...question, alone: true }, answer, deadline);
}

/** Asks a second time. The transcript holds what was said both times. */
export async function askAgain(
  asker: RecipientAsker,
  question: RecipientQuestion,
  first: RecipientAnswer,
  deadline: Deadline,
): Promise<RecipientAnswer> {
  const second = await asker.ask(question, deadline);
  return second.kind === 'not_connected' || first.kind === 'not_connected'
    ? second
    : { ...second, transcript: [...first.transcript, ...second.transcript] };
}

/** Asks mail hosts about recipients. Never rejects, and answers by the deadline. */
export interface RecipientAsker {
  /**
   * The transcript of the answer holds nothing of other recipients.
   *
   * @param onSlow told where the host takes so long to connect that another one should be tried beside it
   */
  ask(question: RecipientQuestion, deadline: Deadline, onSlow?: () => void): Promise<RecipientAnswer>;
}
