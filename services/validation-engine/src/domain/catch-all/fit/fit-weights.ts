import { createHash } from 'node:crypto';
import type { SourceId } from '../observation.ts';
import { fadingOf } from '../weigh.ts';
import { llrMax, readWeights, type Weights } from '../weights.ts';
import { fitKinds } from './fit-kinds.ts';
import { boundAccounts, type Counted, type Labeled } from './labeled.ts';

/**
 * How certain the starting values are: each counts as much as an estimate with this standard error. A finding that was
 * seen rarely stays near its starting value; one that was seen often takes the observed value.
 */
const startingError = 1.5;

/**
 * Fits the prior and the log-likelihood ratios of all findings that say something to addresses whose mailboxes are
 * known. A finding that speaks for a mailbox never comes to speak against it: that would be an accident of few cases.
 * Those that say of which kind an address is are fitted together with the prior.
 */
export function fitWeights(labeled: readonly Labeled[], start: Weights, version: string): Weights {
  const counted = boundAccounts(labeled);
  const { prior, llr: kinds } = fitKinds(counted, start);
  const seen = seenIn(counted, start);
  const sources = Object.entries(start.sources).map(([source, weights]) => {
    if (weights.group === 'kind') {
      const fitted = kinds.get(source as SourceId) ?? weights.llr;
      const llr = Object.entries(fitted).map(([finding, value]) => [finding, rounded(value)]);
      return [source, { ...weights, llr: Object.fromEntries(llr) }];
    }
    const llr = Object.entries(weights.llr).map(([finding, starting]) => {
      const isKept = starting === 0 || labeled.length === 0;
      return [finding, isKept ? starting : fitOne(starting, seen.of(`${source} ${finding}`))];
    });
    return [source, { ...weights, llr: Object.fromEntries(llr) }];
  });
  return readWeights({ ...start, version, prior: rounded(prior), sources: Object.fromEntries(sources) });
}

/** How often a finding was made, and how old; addresses count by their weight. */
interface Counts {
  readonly existing: number;
  readonly missing: number;
  readonly seenAtExisting: number;
  readonly seenAtMissing: number;
  /** The sum over all of how much of its full weight the finding had left. */
  readonly fading: number;
}

/** Counts every finding once for each address. */
function seenIn(counted: readonly Counted[], start: Weights): { of(key: string): Counts } {
  const total = { existing: 0, missing: 0 };
  const seen = new Map<string, { seenAtExisting: number; seenAtMissing: number; fading: number }>();
  for (const { address, weight } of counted) {
    total[address.exists ? 'existing' : 'missing'] += weight;
    const known = new Set<string>();
    for (const observation of address.observations) {
      const key = `${observation.source} ${observation.finding}`;
      const fading = fadingOf(observation, start);
      if (fading >= fadingMin && !known.has(key)) {
        known.add(key);
        const counts = seen.get(key) ?? { seenAtExisting: 0, seenAtMissing: 0, fading: 0 };
        counts[address.exists ? 'seenAtExisting' : 'seenAtMissing'] += weight;
        counts.fading += weight * fading;
        seen.set(key, counts);
      }
    }
  }
  return {
    of: key => ({ ...total, ...(seen.get(key) ?? { seenAtExisting: 0, seenAtMissing: 0, fading: 0 }) }),
  };
}

function fitOne(
  starting: number,
  { existing, missing, seenAtExisting, seenAtMissing, fading: fadingSum }: Counts,
): number {
  // Adds half a case on each side (Jeffreys): a finding never seen among missing mailboxes may still occur there.
  const [hits, falseHits] = [seenAtExisting + 0.5, seenAtMissing + 0.5];
  const [all, allMissing] = [existing + 1, missing + 1];
  const seenLlr = Math.log(hits / all / (falseHits / allMissing));
  const error2 = 1 / hits - 1 / all + 1 / falseHits - 1 / allMissing;
  // An observation counts for less with age, so a ratio measured on old observations understates fresh ones.
  const seen = seenAtExisting + seenAtMissing;
  const fading = seen === 0 ? 1 : fadingSum / seen;
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
