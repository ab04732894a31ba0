import { median } from '@mailproof/dev-house/bench';
import type { Measurement, Spread, Subject } from './messages.ts';

/** The ledger's targets in this benchmark. */
export const bounds = {
  hotHoldsPerSecondMin: 1_000,
  hotRatioMin: 0.4,
  spreadHoldsPerSecondMin: 4_000,
} as const;

/** The rounds of one subject, summarized in one figure each. */
export interface Summary {
  readonly subject: Subject;
  readonly spread: Spread;
  readonly perSecond: number;
  /** The ratio to the bare statement of the same round. */
  readonly ratio: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A target, and whether it was met. */
export interface Finding {
  readonly promise: string;
  readonly measured: number;
  readonly bound: number;
  readonly kept: boolean;
}

export function summarize(measurements: readonly Measurement[]): Summary[] {
  const kinds = new Map(measurements.map(each => [`${each.spread} ${each.subject}`, each]));
  return [...kinds.values()].map(({ subject, spread }) => {
    const rounds = measurements.filter(each => each.subject === subject && each.spread === spread);
    const bare = measurements.filter(each => each.subject === 'bare' && each.spread === spread);
    const ratios = rounds.flatMap(({ round, perSecond }) => {
      const beside = bare.find(each => each.round === round);
      return beside ? [perSecond / beside.perSecond] : [];
    });
    return {
      subject,
      spread,
      perSecond: median(rounds.map(({ perSecond }) => perSecond)),
      ratio: median(ratios),
      p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    };
  });
}

/** Compares the figures of the Postgres adapter with the targets; a missing measurement misses its target. */
export function judge(summaries: readonly Summary[]): Finding[] {
  const of = (spread: Spread) =>
    summaries.find(each => each.subject === 'hold' && each.spread === spread) ?? { perSecond: 0, ratio: 0 };
  return [
    atLeast('holds/s on one hot account', of('hot').perSecond, bounds.hotHoldsPerSecondMin),
    atLeast('of the bare statement on one hot account', of('hot').ratio, bounds.hotRatioMin),
    atLeast('holds/s over many accounts', of('spread').perSecond, bounds.spreadHoldsPerSecondMin),
  ];
}

function atLeast(promise: string, measured: number, bound: number): Finding {
  return { promise, measured, bound, kept: measured >= bound };
}
