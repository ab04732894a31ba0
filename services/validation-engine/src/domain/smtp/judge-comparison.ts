import type { MadeUpRecipient } from './made-up-recipients.ts';
import type { Finding } from './open-session.ts';
import { unexplained } from './pool/lessons.ts';
import type { RecipientAnswer } from './pool/recipient-asker.ts';
import type { Reply } from './reply.ts';

/** What a made-up recipient got. */
export interface MadeUpAnswer extends MadeUpRecipient {
  readonly finding: Finding;
  /** Asked as the first of its transaction, so that no limit on recipients can explain the answer. */
  readonly first: boolean;
  /** The reply to RCPT; none where the host failed over it. */
  readonly reply?: Reply;
}

/** Findings that set a made-up recipient apart from one that was accepted, and take back an acceptance. */
export const refusing: ReadonlySet<Finding> = new Set([
  'missing',
  'missing_for_now',
  'disabled',
  'refused',
  'policy',
]);

export type ComparisonJudgement = 'accepts_everybody' | 'knows_recipients' | 'inconclusive';

/** Says whether an acceptance by this host means anything. A failed comparison never means that it does. */
export function judgeComparison(madeUp: readonly MadeUpAnswer[]): ComparisonJudgement {
  const alike = madeUp.filter(({ shape }) => shape === 'alike');
  const accepted = madeUp.filter(({ finding }) => finding === 'accepted');
  // One in the form of the address may exist by chance, where another one of that form is clearly unknown.
  const isByChance =
    accepted.every(({ shape }) => shape === 'alike') && alike.some(({ finding }) => finding === 'missing');
  if (accepted.length > 0 && !isByChance) {
    return 'accepts_everybody';
  }
  // Refusals may follow the form of a name, so one in the form of the address has to be among the refused.
  if (!alike.some(({ finding }) => refusing.has(finding))) {
    return 'inconclusive';
  }
  // One clear "no such mailbox" shows that the host knows its recipients.
  const told = madeUp.some(({ finding }) => finding === 'missing');
  // So do refusals of every shape, each free of doubt, of a host that explains nothing but accepts the real one.
  return told || restsOnRefusals(madeUp) ? 'knows_recipients' : 'inconclusive';
}

/**
 * True where no refusal says plainly that the mailbox is missing. The host has to accept the real recipient after them
 * too, because it may have started to refuse all recipients.
 */
export function restsOnRefusals(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && madeUp.every(({ first }) => first);
}

/** True where the place of the recipients in the session may explain the refusals. */
export function isDoubtful(madeUp: readonly MadeUpAnswer[]): boolean {
  return isRefusedThroughout(madeUp) && !madeUp.every(({ first }) => first);
}

function isRefusedThroughout(madeUp: readonly MadeUpAnswer[]): boolean {
  return madeUp.length >= 2 && madeUp.every(({ finding }) => unexplained.has(finding));
}

/** The answer about a made-up recipient, in the form that is judged and remembered. */
export function madeUpAnswer(recipient: MadeUpRecipient, answer: RecipientAnswer): MadeUpAnswer {
  switch (answer.kind) {
    case 'not_connected':
      return { ...recipient, finding: answer.failure, first: true };
    case 'smtputf8_unsupported':
      return { ...recipient, finding: 'policy', first: true };
    case 'ended':
      return { ...recipient, finding: answer.finding, first: true };
    case 'answered': {
      const { finding, first, reply } = answer;
      return { ...recipient, finding, first, ...(reply !== undefined && { reply }) };
    }
  }
}
