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
  const second = await asker.ask({ ...question, alone: true }, deadline);
  return second.kind === 'not_connected'
    ? second
    : { ...second, transcript: [...answer.transcript, ...second.transcript] };
}

/** Asks mail hosts about recipients. Never rejects, and answers by the deadline. */
export interface RecipientAsker {
  /** The transcript of the answer holds nothing of other recipients. */
  ask(question: RecipientQuestion, deadline: Deadline): Promise<RecipientAnswer>;
}
