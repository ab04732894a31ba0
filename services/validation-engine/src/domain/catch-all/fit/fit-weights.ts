import { createHash } from 'node:crypto';
import type { Observation } from '../observation.ts';
import { fadingOf } from '../weigh.ts';
import { llrMax, readWeights, type Weights } from '../weights.ts';
import type { Labeled } from './labeled.ts';

/**
 * How certain the starting values are: each counts as much as an estimate with this standard error. A finding that was
 * seen rarely stays near its starting value; one that was seen often takes the observed value.
 */
const startingError = 1.5;
/** The starting prior counts as much as this many addresses. */
const priorAddresses = 50;

/**
 * Fits the prior and the log-likelihood ratios of all findings that say something to addresses whose mailboxes are
 * known. A finding that speaks for a mailbox never comes to speak against it: that would be an accident of few cases.
 */
export function fitWeights(labeled: readonly Labeled[], start: Weights, version: string): Weights {
  const existing = labeled.filter(({ exists }) => exists);
  const missing = labeled.filter(({ exists }) => !exists);
  const sources = Object.entries(start.sources).map(([source, weights]) => {
    const llr = Object.entries(weights.llr).map(([finding, starting]) => {
      const kept = starting === 0 || labeled.length === 0;
      const isSeen = (seen: Observation) =>
        seen.source === source && seen.finding === finding && fadingOf(seen, start) >= fadingMin;
      const fadingsIn = (addresses: readonly Labeled[]) =>
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
  const prior = (existing.length + start.prior * priorAddresses) / (labeled.length + priorAddresses);
  return readWeights({ ...start, version, prior: rounded(prior), sources: Object.fromEntries(sources) });
}

interface Counts {
  readonly existing: number;
  readonly missing: number;
  /** How much of its full weight each observation at an existing mailbox had left. */
  readonly fadingsAtExisting: readonly number[];
  readonly fadingsAtMissing: readonly number[];
}

function fitOne(
  starting: number,
  { existing, missing, fadingsAtExisting, fadingsAtMissing }: Counts,
): number {
  // Adds half a case on each side (Jeffreys): a finding never seen among missing mailboxes may still occur there.
  const [hits, falseHits] = [fadingsAtExisting.length + 0.5, fadingsAtMissing.length + 0.5];
  const [all, allMissing] = [existing + 1, missing + 1];
  const seenLlr = Math.log(hits / all / (falseHits / allMissing));
  const error2 = 1 / hits - 1 / all + 1 / falseHits - 1 / allMissing;
  // An observation counts for less with age, so a ratio measured on old observations understates fresh ones.
  const fadings = [...fadingsAtExisting, ...fadingsAtMissing];
  const fading = fadings.length === 0 ? 1 : fadings.reduce((sum, each) => sum + each, 0) / fadings.length;
  const freshLlr = seenLlr / fading;
  const ours = fading ** 2 / Math.max(error2, 1e-9);
  const theirs = 1 / startingError ** 2;
  const fitted = (freshLlr * ours + starting * theirs) / (ours + theirs);
  const bounded = starting > 0 ? Math.max(0, fitted) : Math.min(0, fitted);
  return rounded(Math.max(-llrMax, Math.min(llrMax, bounded)));
}

/** Observations that have faded further say too little about the worth of a fresh one. */
const fadingMin = 0.25;

function rounded(value: number): number {
  // Minus zero would not survive a file.
  return Math.round(value * 1_000) / 1_000 || 0;
}

/** One domain in this many is held out. */
const foldCount = 4;

/**
 * Splits by domain, since addresses of one domain resemble each other and would otherwise be on both sides. The same
 * domain is always on the same side.
 */
export function splitByDomain(labeled: readonly Labeled[]): {
  readonly training: readonly Labeled[];
  readonly heldOut: readonly Labeled[];
} {
  const { training = [], heldOut = [] } = Object.groupBy(labeled, ({ domain }) =>
    createHash('sha256').update(domain).digest().readUInt32BE() % foldCount === 0 ? 'heldOut' : 'training',
  );
  return { training, heldOut };
}
