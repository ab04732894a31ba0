import type { Observation } from '../observation.ts';
import { fadingOf } from '../weigh.ts';
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
      const isSeen = (seen: Observation) =>
        seen.source === source && seen.finding === finding && fadingOf(seen, start) >= fadingMin;
      const fadingsIn = (addresses: readonly Labelled[]) =>
        addresses.flatMap(({ observations }) =>
          observations
            .filter(isSeen)
            .slice(0, 1)
            .map(seen => fadingOf(seen, start)),
        );
      const counts: Counts = {
        existing: existing.length,
        missing: missing.length,
        fadingsAtExisting: fadingsIn(existing),
        fadingsAtMissing: fadingsIn(missing),
      };
      return [finding, kept ? starting : fitOne(starting, counts)];
    });
    return [source, { ...weights, llr: Object.fromEntries(llr) }];
  });
  const prior = (existing.length + start.prior * priorAddresses) / (labelled.length + priorAddresses);
  return readWeights({ ...start, version, prior: rounded(prior), sources: Object.fromEntries(sources) });
}

interface Counts {
  readonly existing: number;
  readonly missing: number;
  /** How much of their full weight the observations at existing mailboxes had left, one for each that was seen. */
  readonly fadingsAtExisting: readonly number[];
  readonly fadingsAtMissing: readonly number[];
}

function fitOne(
  starting: number,
  { existing, missing, fadingsAtExisting, fadingsAtMissing }: Counts,
): number {
  // Half a case more on each side (Jeffreys): what was never seen among missing mailboxes may still happen there.
  const [hits, falseHits] = [fadingsAtExisting.length + 0.5, fadingsAtMissing.length + 0.5];
  const [all, allMissing] = [existing + 1, missing + 1];
  const seenLlr = Math.log(hits / all / (falseHits / allMissing));
  const error2 = 1 / hits - 1 / all + 1 / falseHits - 1 / allMissing;
  // An observation counts for less with age, so what was seen of old ones understates fresh ones.
  const fadings = [...fadingsAtExisting, ...fadingsAtMissing];
  const fading = fadings.length === 0 ? 1 : fadings.reduce((sum, each) => sum + each, 0) / fadings.length;
  const freshLlr = seenLlr / fading;
  const ours = fading ** 2 / Math.max(error2, 1e-9);
  const theirs = 1 / startingError ** 2;
  const fitted = (freshLlr * ours + starting * theirs) / (ours + theirs);
  const bounded = starting > 0 ? Math.max(0, fitted) : Math.min(0, fitted);
  return rounded(Math.max(-llrMax, Math.min(llrMax, bounded)));
}

/** What has faded further says too little of what a fresh observation is worth. */
const fadingMin = 0.25;

function rounded(value: number): number {
  // Minus zero would not survive a file.
  return Math.round(value * 1_000) / 1_000 || 0;
}
