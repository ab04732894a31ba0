import type { Observation } from '../observation.ts';
import { llrMax, readWeights, type Weights } from '../weights.ts';
import type { Labelled } from './labelled.ts';

/**
 * How sure the starting values are: each counts as much as an estimate with this standard error. A finding that was
 * seen seldom stays near its starting value, and one that was seen often is what it was seen to be.
 */
const startingError = 1.5;
/** The starting prior counts as much as this many addresses. */
const priorAddresses = 50;

/**
 * Fits the prior and the log-likelihood ratios of everything that says something on addresses whose mailboxes are
 * known. What speaks for a mailbox never comes to speak against it: such a result would be an accident of few cases.
 */
export function fitWeights(labelled: readonly Labelled[], start: Weights, version: string): Weights {
  const existing = labelled.filter(({ exists }) => exists);
  const missing = labelled.filter(({ exists }) => !exists);
  const sources = Object.entries(start.sources).map(([source, weights]) => {
    const llr = Object.entries(weights.llr).map(([finding, starting]) => {
      const kept = starting === 0 || labelled.length === 0;
      const seenIn = (addresses: readonly Labelled[]) =>
        addresses.flatMap(({ observations }) =>
          observations.filter(seen => seen.source === source && seen.finding === finding).slice(0, 1),
        );
      const counts: Counts = {
        existing: existing.length,
        missing: missing.length,
        seenAtExisting: seenIn(existing),
        seenAtMissing: seenIn(missing),
      };
      return [finding, kept ? starting : fitOne(starting, weights.halfLifeDays, counts)];
    });
    return [source, { ...weights, llr: Object.fromEntries(llr) }];
  });
  const prior = (existing.length + start.prior * priorAddresses) / (labelled.length + priorAddresses);
  return readWeights({ ...start, version, prior: rounded(prior), sources: Object.fromEntries(sources) });
}

interface Counts {
  readonly existing: number;
  readonly missing: number;
  readonly seenAtExisting: readonly Observation[];
  readonly seenAtMissing: readonly Observation[];
}

function fitOne(
  starting: number,
  halfLifeDays: number,
  { existing, missing, seenAtExisting, seenAtMissing }: Counts,
): number {
  // Half a case more on each side (Jeffreys): what was never seen among missing mailboxes may still happen there.
  const [hits, falseHits] = [seenAtExisting.length + 0.5, seenAtMissing.length + 0.5];
  const [all, allMissing] = [existing + 1, missing + 1];
  const seenLlr = Math.log(hits / all / (falseHits / allMissing));
  const error2 = 1 / hits - 1 / all + 1 / falseHits - 1 / allMissing;
  // An observation counts for less with age, so what was seen of old ones understates fresh ones.
  const freshLlr = seenLlr / meanFading([...seenAtExisting, ...seenAtMissing], halfLifeDays);
  const ours = 1 / Math.max(error2, 1e-9);
  const theirs = 1 / startingError ** 2;
  const fitted = (freshLlr * ours + starting * theirs) / (ours + theirs);
  const bounded = starting > 0 ? Math.max(0, fitted) : Math.min(0, fitted);
  return rounded(Math.max(-llrMax, Math.min(llrMax, bounded)));
}

/** Never so small that a few very old observations would blow the rest up. */
const fadingMin = 0.25;

function meanFading(observations: readonly Observation[], halfLifeDays: number): number {
  if (observations.length === 0) {
    return 1;
  }
  const fadings = observations.map(({ ageDays = 0 }) => 0.5 ** (Math.max(0, ageDays) / halfLifeDays));
  return Math.max(fadingMin, fadings.reduce((sum, fading) => sum + fading, 0) / fadings.length);
}

function rounded(value: number): number {
  // Minus zero would not survive a file.
  return Math.round(value * 1_000) / 1_000 || 0;
}
