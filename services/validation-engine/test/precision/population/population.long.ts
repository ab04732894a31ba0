import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { weights } from '../../../src/domain/catch-all/weights.ts';
import {
  ceilingOf,
  decideAgain,
  decideFitted,
  figuresHead,
  figuresLine,
  isDecisive,
  likelihoodRatios,
  measure,
  type Opinion,
  observationsOf,
  opinionsOf,
  reliabilityOf,
} from './figures.ts';
import { makePopulation, type Population } from './population.ts';
import { type JudgedAddress, type PopulationHouse, startPopulationHouse } from './population-house.ts';
import { loadRates, offByTwo } from './rates.ts';

/** Fewer are only for trying out the suite. */
const addressCount = Number(process.env['PRECISION_POPULATION_ADDRESSES'] ?? 500);
const seeds = ['a', 'b', 'c', 'd', 'e'].map(letter => `${letter}${process.env['PRECISION_SEED'] ?? ''}`);
const minuteMs = 60_000;

const fills = ['empty', 'half', 'full'] as const;
type Fill = (typeof fills)[number];

let populations: readonly Population[];
let house: PopulationHouse;
const judged = new Map<Fill | 'worse' | 'better', JudgedAddress[]>();

beforeAll(async () => {
  const rates = loadRates();
  populations = seeds.map(seed => makePopulation(rates, seed, addressCount));
  const off = {
    worse: seeds.map(seed => makePopulation(offByTwo(rates, 'worse'), `worse-${seed}`, addressCount)),
    better: seeds.map(seed => makePopulation(offByTwo(rates, 'better'), `better-${seed}`, addressCount)),
  };
  house = await startPopulationHouse([...populations, ...off.worse, ...off.better]);
  const people = populations.flatMap(population => population.people);
  const addresses = populations.flatMap(population => population.addresses);
  const steps = [
    ['empty', [], addresses],
    ['half', people.filter(({ isInHalf }) => isInHalf), addresses],
    ['full', people.filter(({ isInHalf }) => !isInHalf), addresses],
    ['worse', off.worse.flatMap(each => each.people), off.worse.flatMap(each => each.addresses)],
    ['better', off.better.flatMap(each => each.people), off.better.flatMap(each => each.addresses)],
  ] as const;
  for (const [name, learned, asked] of steps) {
    const startedMs = performance.now();
    await house.know(learned);
    const knownMs = performance.now();
    judged.set(name, await house.judge(asked));
    process.stdout.write(
      `${name}: ${learned.length} people in ${seconds(startedMs, knownMs)} s, ${asked.length} addresses in ${seconds(knownMs, performance.now())} s\n`,
    );
  }
}, 60 * minuteMs);

afterAll(() => house?.stop(), minuteMs);

function seconds(fromMs: number, toMs: number): string {
  return ((toMs - fromMs) / 1_000).toFixed(0);
}

function of(name: Fill | 'worse' | 'better'): JudgedAddress[] {
  return judged.get(name) ?? [];
}

test('the figures of the population are printed', () => {
  const sources = [
    ...new Set(of('full').flatMap(address => observationsOf(address).map(({ source }) => source))),
  ].sort();
  const full = opinionsOf(of('full'));
  const lines: string[] = [];
  for (const fill of fills) {
    const opinions = opinionsOf(of(fill));
    const { recall, precision } = ceilingOf(of(fill), 0.97);
    lines.push(
      '',
      `== People store ${fill}`,
      figuresHead,
      figuresLine('all', opinions),
      ...by(opinions, ({ address }) => `provider ${address.provider}`),
      ...by(opinions, ({ address }) => `asked as ${address.kind}`),
      ...by(opinions, ({ address }) => `size ${address.size}`),
      ...sources.map(source =>
        figuresLine(
          `without ${source}`,
          decideAgain(of(fill), weights, observation => observation.source !== source),
        ),
      ),
      figuresLine('with weights fitted to the other seeds', decideFitted(of(fill), weights, seedOf)),
      ...byStrongest(opinions),
      `the best weights would find ${recall.toFixed(4)} of the existing at a precision of ${precision.toFixed(4)}`,
      reliabilityOf(opinions),
      foundOf(of(fill)),
    );
  }
  lines.push('', '== Likelihood ratios, people store full', ...likelihoodRatios(of('full'), weights));
  for (const direction of ['worse', 'better'] as const) {
    lines.push(
      '',
      `== Rates off by two, ${direction}`,
      figuresHead,
      figuresLine('all', opinionsOf(of(direction))),
    );
  }
  lines.push('', '== Seeds, people store full', figuresHead);
  lines.push(...by(full, ({ address }) => `seed ${seedOf(address)}`), '');
  process.stdout.write(lines.join('\n'));
  expect(measure(full).confirmed).toBeGreaterThan(0);
});

test('deciding again from the stored findings gives the verdicts of the engine', () => {
  for (const fill of fills) {
    const again = decideAgain(of(fill), weights, () => true);
    expect(again.map(({ isConfirmed }) => isConfirmed)).toEqual(
      opinionsOf(of(fill)).map(({ isConfirmed }) => isConfirmed),
    );
  }
});

/** How much of what can be found is found. */
function foundOf(addresses: readonly JudgedAddress[]): string {
  const printed = addresses.filter(({ exists, evidence }) => exists && evidence.printed);
  const told = addresses.filter(({ exists, evidence }) => exists && evidence.told);
  const found = (group: readonly JudgedAddress[]) => `${group.filter(isDecisive).length} of ${group.length}`;
  return `found of the existing addresses that a site prints: ${found(printed)}; that a host or a directory tells: ${found(told)}`;
}

function seedOf({ email }: JudgedAddress): string {
  return email.replace(/^.*@(.*)-\d+\.example$/, '$1');
}

function by(opinions: readonly Opinion[], keyOf: (opinion: Opinion) => string): string[] {
  return [...Map.groupBy(opinions, keyOf)].sort().map(([name, group]) => figuresLine(name, group));
}

/** The confirmed addresses by the observation that counted most. */
function byStrongest(opinions: readonly Opinion[]): string[] {
  const confirmed = opinions.filter(({ isConfirmed }) => isConfirmed);
  return by(confirmed, ({ address }) => {
    const evidence = address.verdict.details.catch_all?.evidence ?? [];
    const [strongest] = evidence
      .filter(({ address_specific, weight }) => address_specific && weight > 0)
      .sort((one, other) => other.weight - one.weight);
    return `by ${strongest === undefined ? 'nothing' : `${strongest.source} ${strongest.finding}`}`;
  });
}

test.each(fills)('catch_all_validated is right with a people store that is %s', fill => {
  const { confirmed, precision, precisionLowerBound, recallOfDecisive } = measure(opinionsOf(of(fill)));
  expect(confirmed).toBeGreaterThan(0);
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(precisionLowerBound).toBeGreaterThanOrEqual(0.97);
  expect(recallOfDecisive).toBeGreaterThanOrEqual(0.9);
});

test.each(['worse', 'better'] as const)('it stays right where rates are off by two and %s', direction => {
  expect(measure(opinionsOf(of(direction))).precision).toBeGreaterThanOrEqual(0.95);
});
