import type { Observation, WeighedObservation } from './observation.ts';
import type { GroupId, Weights } from './weights.ts';

export interface Weighing {
  readonly weightsVersion: string;
  /** The probability that the mailbox exists, before any evidence. */
  readonly prior: number;
  /** The probability that the mailbox exists, from 0 to 1. */
  readonly posterior: number;
  readonly observations: readonly WeighedObservation[];
}

/** Combines observations in log-odds, starting from a prior share of existing mailboxes. */
export function weigh(observations: readonly Observation[], weights: Weights, prior: number): Weighing {
  const weighed = observations.map(observation => weighOne(observation, weights));
  const byGroup = Map.groupBy(weighed, ({ source }) => weights.sources[source].group);
  const contributions = [...byGroup].map(([group, members]) => capped(group, sumOf(members), weights));
  return {
    weightsVersion: weights.version,
    prior,
    posterior: shareOf(oddsOf(prior) + sum(contributions)),
    observations: weighed,
  };
}

function weighOne(observation: Observation, weights: Weights): WeighedObservation {
  const { llr, addressSpecific } = weights.sources[observation.source];
  const full = (llr as Readonly<Record<string, number>>)[observation.finding] ?? 0;
  return { ...observation, llr: full * fadingOf(observation, weights), addressSpecific };
}

/** The share of its full weight that an observation still has at its age. */
export function fadingOf({ source, finding, ageDays = 0 }: Observation, { sources }: Weights): number {
  const { halfLifeDays, halfLifeDaysOf = {} } = sources[source];
  const halfLife = (halfLifeDaysOf as Readonly<Record<string, number>>)[finding] ?? halfLifeDays;
  // A clock that was set back must not make an observation count for more than its full weight.
  return 0.5 ** (Math.max(0, ageDays) / halfLife);
}

/** Limits the sum of correlated observations: they confirm each other less than independent ones would. */
function capped(group: GroupId, total: number, { groupCaps }: Weights): number {
  return Math.max(-groupCaps[group], Math.min(groupCaps[group], total));
}

function sumOf(observations: readonly WeighedObservation[]): number {
  return sum(observations.map(({ llr }) => llr));
}

/** Adds in a fixed order, because floating-point sums depend on it and a verdict must not. */
function sum(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other).reduce((total, number) => total + number, 0);
}

function oddsOf(share: number): number {
  return Math.log(share / (1 - share));
}

function shareOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
