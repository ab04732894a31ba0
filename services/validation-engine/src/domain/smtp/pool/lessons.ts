import type { Finding } from '../open-session.ts';
import type { Heard } from '../transaction.ts';
import type { Circumstances } from './judge-heard.ts';
import { flightMax, refusalsMax } from './limits.ts';

/** What a host taught us. Forgotten when nobody has asked about it for a while. */
export interface Lessons {
  /** Refusals that it takes in one session. */
  refusalsMax: number;
  /** Recipients that it takes in one transaction. */
  recipientsMax: number;
  /** False once TLS was offered and failed. */
  useTls: boolean;
  /** False once a fresh session was blocked as well. */
  doubtBlocks: boolean;
  /** Findings about later recipients of a transaction that were found to be meant. */
  readonly confirmed: Set<Finding>;
}

export function noLessons(): Lessons {
  return { refusalsMax, recipientsMax: flightMax, useTls: true, doubtBlocks: true, confirmed: new Set() };
}

export function hasLearnedNothing(lessons: Lessons): boolean {
  return (
    lessons.refusalsMax === refusalsMax &&
    lessons.recipientsMax === flightMax &&
    lessons.useTls &&
    lessons.doubtBlocks &&
    lessons.confirmed.size === 0
  );
}

/** Draws lessons from what was heard after a doubt, and from where sessions end. */
export function learn(
  lessons: Lessons,
  heard: Heard,
  pending: { readonly fresh: boolean; readonly doubted: Finding | undefined },
  { refusals, firstTransaction }: Circumstances,
): void {
  if (heard.kind !== 'answered') {
    return;
  }
  if (pending.doubted === heard.finding) {
    lessons.confirmed.add(heard.finding);
  } else if (pending.doubted !== undefined) {
    lessons.recipientsMax = 1;
  }
  if (pending.fresh && heard.finding === 'blocked') {
    lessons.doubtBlocks = false;
  }
  const isFirstOfSession = firstTransaction && heard.first;
  if (endsSession(heard) && !isFirstOfSession && refusals > 1) {
    lessons.refusalsMax = Math.max(1, Math.min(lessons.refusalsMax, refusals - 1));
  }
}

/** No reply, or 421 with which the host hangs up (RFC 5321 section 3.8). */
export function endsSession({ reply }: Extract<Heard, { kind: 'answered' }>): boolean {
  return reply === undefined || reply.code === 421;
}
