import type { Finding } from '../open-session.ts';
import type { Heard } from '../transaction.ts';
import { endsSession, type Lessons } from './lessons.ts';
import type { Pending } from './pending.ts';

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
}

/** What to do with what was heard: believe it, or ask again in better circumstances. */
export type Judgement = 'final' | 'again' | 'again_alone' | 'again_fresh';

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
  pending: Pick<Pending, 'fresh' | 'tries'>,
  circumstances: Circumstances,
  lessons: Pick<Lessons, 'doubtBlocks' | 'confirmed'>,
): Judgement {
  const { firstTransaction, firstOfTransaction, refusals, forthcoming } = circumstances;
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
  if (!first && doubtfulBesideOthers.has(finding)) {
    return finding === firstOfTransaction || lessons.confirmed.has(finding) ? 'final' : 'again_alone';
  }
  // A host that has become angry in the course of the session says nothing of this recipient.
  const isAnger =
    finding === 'blocked'
      ? lessons.doubtBlocks
      : finding === 'refused' && refusals > refusalsOfOneMax && !lessons.confirmed.has(finding);
  return isAnger && forthcoming && !pending.fresh ? 'again_fresh' : 'final';
}
