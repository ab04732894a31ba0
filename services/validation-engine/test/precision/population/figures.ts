import { decideCatchAll } from '../../../src/domain/catch-all/decide-catch-all.ts';
import { fitWeights } from '../../../src/domain/catch-all/fit/fit-weights.ts';
import { formatReliability, measureReliability } from '../../../src/domain/catch-all/fit/reliability.ts';
import type { Observation } from '../../../src/domain/catch-all/observation.ts';
import { weigh } from '../../../src/domain/catch-all/weigh.ts';
import type { Weights } from '../../../src/domain/catch-all/weights.ts';
import { wilsonLowerBound } from '../wilson.ts';
import type { JudgedAddress } from './population-house.ts';

/** An address, and what the engine said about it or would say with other weights or sources. */
export interface Opinion {
  readonly address: JudgedAddress;
  readonly isConfirmed: boolean;
  readonly posterior: number | undefined;
}

export interface Figures {
  readonly confirmed: number;
  readonly right: number;
  readonly precision: number;
  readonly precisionLowerBound: number;
  /** Among all addresses that exist. */
  readonly recall: number;
  /** Among those that exist and that the domain itself was found to publish or to tell from made-up ones. */
  readonly recallOfDecisive: number;
  /** The mean square of the difference between posterior and truth. */
  readonly brier: number;
}

export function opinionsOf(judged: readonly JudgedAddress[]): Opinion[] {
  return judged.map(address => ({
    address,
    isConfirmed: address.verdict.result === 'catch_all_validated',
    posterior: address.verdict.details.catch_all?.posterior,
  }));
}

/** Decides again from the stored observations, with the engine’s own weighing and rules. */
export function decideAgain(
  judged: readonly JudgedAddress[],
  weights: Weights,
  isKept: (observation: Observation) => boolean,
): Opinion[] {
  return judged.map(address => {
    if (address.verdict.details.catch_all === undefined) {
      return { address, isConfirmed: false, posterior: undefined };
    }
    const weighing = weigh(observationsOf(address).filter(isKept), weights, weights.prior);
    const { result } = decideCatchAll(weighing);
    return { address, isConfirmed: result === 'catch_all_validated', posterior: weighing.posterior };
  });
}

/** Decides about the addresses of each seed with weights fitted to those of the others. */
export function decideFitted(
  judged: readonly JudgedAddress[],
  weights: Weights,
  seedOf: (address: JudgedAddress) => string,
  isKept: (observation: Observation) => boolean,
): Opinion[] {
  const bySeed = Map.groupBy(judged, seedOf);
  return [...bySeed].flatMap(([seed, own]) => {
    const labeled = judged
      .filter(address => seedOf(address) !== seed && address.verdict.details.catch_all !== undefined)
      .map(address => ({
        domain: address.email.replace(/^.*@/, ''),
        exists: address.exists,
        observations: observationsOf(address).filter(isKept),
      }));
    return decideAgain(own, fitWeights(labeled, weights, 'population'), isKept);
  });
}

export function observationsOf({ verdict }: JudgedAddress): Observation[] {
  return (verdict.details.catch_all?.evidence ?? []).map(
    ({ source, finding, age_days }) =>
      ({ source, finding, ...(age_days !== undefined && { ageDays: age_days }) }) as Observation,
  );
}

/** Findings by which the domain itself says that it has this mailbox: hints of `decide-catch-all.ts` are none. */
const decisive: ReadonlySet<string> = new Set([
  'published_mx knows_recipient',
  'openpgpkey published',
  'smimea published',
  'web_key_directory published',
  'published_on_site on_contact_page',
  'published_on_site in_security_txt',
  'published_on_site in_page_data',
]);

export function isDecisive(address: JudgedAddress): boolean {
  return observationsOf(address).some(({ source, finding }) => decisive.has(`${source} ${finding}`));
}

export function measure(opinions: readonly Opinion[]): Figures {
  const confirmed = opinions.filter(({ isConfirmed }) => isConfirmed);
  const right = confirmed.filter(({ address }) => address.exists).length;
  const existing = opinions.filter(({ address }) => address.exists);
  const withDecisive = existing.filter(({ address }) => isDecisive(address));
  const weighed = opinions.flatMap(({ address, posterior }) =>
    posterior === undefined ? [] : [(posterior - Number(address.exists)) ** 2],
  );
  return {
    confirmed: confirmed.length,
    right,
    precision: right / confirmed.length,
    precisionLowerBound: wilsonLowerBound(right, confirmed.length),
    recall: right / existing.length,
    recallOfDecisive: withDecisive.filter(({ isConfirmed }) => isConfirmed).length / withDecisive.length,
    brier: weighed.reduce((sum, square) => sum + square, 0) / weighed.length,
  };
}

const share = (value: number) => (Number.isNaN(value) ? '     –' : value.toFixed(4));

export const figuresHead = `${'set'.padEnd(38)} ${'confirmed'.padStart(9)} ${'wrong'.padStart(5)} ${'precision'} ${'at least'.padStart(8)} ${'recall'.padStart(6)} ${'decisive'} ${'Brier'.padStart(6)}`;

export function figuresLine(name: string, opinions: readonly Opinion[]): string {
  const figures = measure(opinions);
  return [
    name.padEnd(38),
    String(figures.confirmed).padStart(9),
    String(figures.confirmed - figures.right).padStart(5),
    share(figures.precision).padStart(9),
    share(figures.precisionLowerBound).padStart(8),
    share(figures.recall),
    share(figures.recallOfDecisive).padStart(8),
    share(figures.brier),
  ].join(' ');
}

export function reliabilityOf(opinions: readonly Opinion[]): string {
  return formatReliability(
    measureReliability(
      opinions.flatMap(({ address, posterior }) =>
        posterior === undefined ? [] : [{ posterior, exists: address.exists }],
      ),
    ),
  );
}

/** How often each finding is made at addresses that exist and at others, with half a case added to each. */
export function likelihoodRatios(judged: readonly JudgedAddress[], weights: Weights): string[] {
  const weighed = judged.filter(({ verdict }) => verdict.details.catch_all !== undefined);
  const existing = weighed.filter(({ exists }) => exists).length;
  const counts = new Map<string, { existing: number; missing: number; weight: number }>();
  for (const address of weighed) {
    for (const { source, finding } of observationsOf(address)) {
      const key = `${source} ${finding}`;
      const weight = (weights.sources[source].llr as Readonly<Record<string, number>>)[finding] ?? 0;
      const count = counts.get(key) ?? { existing: 0, missing: 0, weight };
      counts.set(key, {
        ...count,
        [address.exists ? 'existing' : 'missing']: (address.exists ? count.existing : count.missing) + 1,
      });
    }
  }
  return [
    `${'finding'.padEnd(48)} ${'existing'.padStart(8)} ${'missing'.padStart(7)} ${'measured'.padStart(8)} ${'weight'.padStart(6)}`,
    ...[...counts].sort().map(([key, count]) => {
      const ratio = Math.log(
        (count.existing + 0.5) / (existing + 1) / ((count.missing + 0.5) / (weighed.length - existing + 1)),
      );
      return `${key.padEnd(48)} ${String(count.existing).padStart(8)} ${String(count.missing).padStart(7)} ${ratio.toFixed(2).padStart(8)} ${count.weight.toFixed(2).padStart(6)}`;
    }),
  ];
}

/** Groups smaller than this say nothing about their share. */
const groupMin = 20;

/**
 * The most that any weights could find with these findings: addresses with the same findings get the same verdict, so
 * the groups of findings are confirmed from the surest on, while the precision over all of them is as wanted. The order
 * is taken from one part of the addresses and the figures from the other, so that luck in small groups does not count.
 */
export function ceilingOf(
  judged: readonly JudgedAddress[],
  precisionMin: number,
  isKept: (observation: Observation) => boolean,
): { recall: number; precision: number } {
  const key = (address: JudgedAddress) =>
    observationsOf(address)
      .filter(isKept)
      .map(({ source, finding }) => `${source} ${finding}`)
      .sort()
      .join(', ');
  const [learned, tested] = [0, 1].map(part => judged.filter((_, index) => index % 2 === part)) as [
    JudgedAddress[],
    JudgedAddress[],
  ];
  const groups = [...Map.groupBy(learned, key)]
    .map(([name, of]) => ({ name, count: of.length, right: of.filter(({ exists }) => exists).length }))
    .filter(({ count }) => count >= groupMin)
    .sort((one, other) => other.right / other.count - one.right / one.count);
  const chosen = new Set<string>();
  let [count, right] = [0, 0];
  for (const group of groups) {
    if ((right + group.right) / (count + group.count) < precisionMin) {
      break;
    }
    count += group.count;
    right += group.right;
    chosen.add(group.name);
  }
  const found = tested.filter(address => chosen.has(key(address)));
  const exist = (of: readonly JudgedAddress[]) => of.filter(({ exists }) => exists).length;
  return { recall: exist(found) / exist(tested), precision: exist(found) / found.length };
}
