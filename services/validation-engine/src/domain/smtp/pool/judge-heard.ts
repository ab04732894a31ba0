import type { Finding } from '../open-session.ts';
import type { Heard } from '../transaction.ts';
import { endsSession, type Lessons } from './lessons.ts';
import type { Pending } from './pending.ts';
import { type Depth, depthThatMatters, isBelievedAt, type Place, placeRefusals } from './places.ts';

/** Where in its session a recipient was asked about. */
export interface Circumstances {
  /** Asked about in the first transaction of the session. */
  readonly firstTransaction: boolean;
  /** What the first recipient of the same transaction got. */
  readonly firstOfTransaction: Finding | undefined;
  /** Commands that the host refused in this session. */
  readonly refusals: number;
  /** Whether the host said of an earlier recipient of this session that it exists or does not. */
  readonly forthcoming: boolean;
  /** The places in which it was asked about; none for the first recipient of the session. */
  readonly places: ReadonlySet<Place>;
  readonly depth: Depth;
  /** Whether a recipient that the host accepted in this session can be asked about again in such a place. */
  readonly hasWitness: boolean;
}

/** What to do with what was heard: believe it, ask again in better circumstances, or wait for a witness (places.ts). */
export type Judgement = 'final' | 'again' | 'again_alone' | 'again_fresh' | 'held';

const triesMax = 3;

/** Refusals that a single address with its made-up ones brings about; who asks about more may make a host angry. */
const refusalsOfOneMax = 3;

/**
 * What may be a limit in disguise when it meets a second recipient: some hosts take one at a time, and Exim's usual
 * rule for the null sender gives no code for that.
 */
const doubtfulBesideOthers: ReadonlySet<Finding> = new Set([
  'too_many_recipients',
  'refused',
  'policy',
  'temporary',
]);

/**
 * Decides whether an answer speaks of this recipient, or of the company in which it was asked: sessions and
 * transactions are shared, and hosts have limits on both that they word as they like.
 */
export function judgeHeard(
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'tries' | 'question'>,
  circumstances: Circumstances,
  lessons: Lessons,
): Judgement {
  const judgement = judgeCompany(heard, pending, circumstances, lessons);
  // A fresh session follows, in which the recipient is the first, so that this comes to an end.
  return judgement === 'final' &&
    heard.kind === 'answered' &&
    placeRefusals.has(heard.finding) &&
    !isBelievedAt(
      circumstances.places,
      depthThatMatters(pending, heard, circumstances.depth),
      lessons,
      circumstances.hasWitness,
    )
    ? 'held'
    : judgement;
}

function judgeCompany(
  heard: Heard,
  pending: Pick<Pending, 'fresh' | 'tries'>,
  { firstTransaction, firstOfTransaction, refusals, forthcoming }: Circumstances,
  lessons: Lessons,
): Judgement {
  if (pending.tries >= triesMax) {
    return 'final';
  }
  if (heard.kind === 'unreached') {
    return 'again';
  }
  // A host that has had enough of the session says nothing of those who come too late, nor does one out of step.
  if (heard.kind === 'ended') {
    return heard.stage === 'mail' && firstTransaction ? 'final' : 'again';
  }
  if (endsSession(heard)) {
    return heard.first && firstTransaction ? 'final' : 'again_fresh';
  }
  const { finding, first } = heard;
  // A limit of the session, where it is none of the transaction, nor one that a new session meets as well.
  if (finding === 'too_many_recipients' && first && !firstTransaction && !lessons.limitsRate) {
    return 'again_fresh';
  }
  if (!first && doubtfulBesideOthers.has(finding)) {
    const isMeant =
      finding !== 'too_many_recipients' && (finding === firstOfTransaction || lessons.confirmed.has(finding));
    return isMeant ? 'final' : 'again_alone';
  }
  // A host that has become angry in the course of the session says nothing of this recipient.
  const isAnger =
    finding === 'blocked'
      ? lessons.doubtBlocks
      : finding === 'refused' && refusals > refusalsOfOneMax && !lessons.confirmed.has(finding);
  return isAnger && forthcoming && !pending.fresh ? 'again_fresh' : 'final';
}
