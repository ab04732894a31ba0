import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { calibrationBy, formatCalibration } from '../../../src/domain/catch-all/fit/reliability.ts';
import type { Observation } from '../../../src/domain/catch-all/observation.ts';
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
import { type AskedAddress, makePopulation, type Population, type StorePerson } from './population.ts';
import { type JudgedAddress, type PopulationHouse, startPopulationHouse } from './population-house.ts';
import { type Direction, loadRates, offByTwo } from './rates.ts';

/** Fewer are only for trying out the suite. */
const addressCount = Number(process.env['PRECISION_POPULATION_ADDRESSES'] ?? 2_000);
/** With a half-full store and with rates off by two, only the precision itself is asserted, so fewer are enough. */
const fewer = Math.ceil(addressCount / 4);
const seeds = ['a', 'b', 'c', 'd', 'e'].map(letter => `${letter}${process.env['PRECISION_SEED'] ?? ''}`);
const minuteMs = 60_000;
const personSource: string = 'known_person';

const fills = ['empty', 'half', 'full'] as const;
type Fill = (typeof fills)[number];
type Run = Fill | 'worse' | 'better';

let house: PopulationHouse;
const judged = new Map<Run, JudgedAddress[]>();

beforeAll(async () => {
  const rates = loadRates();
  const populations = seeds.map(seed => makePopulation(rates, seed, addressCount));
  const off = (direction: Direction) =>
    seeds.map(seed => makePopulation(offByTwo(rates, direction), `${direction}-${seed}`, fewer));
  const [worse, better] = [off('worse'), off('better')];
  house = await startPopulationHouse([...populations, ...worse, ...better]);
  const people = peopleOf(populations);
  for (const [run, learned, asked] of [
    // An empty store knows nothing, so the findings of the full one without its own are those of an empty one. One
    // population shows that this is so.
    ['empty', [], addressesOf(populations.slice(0, 1), fewer)],
    ['half', people.filter(({ isInHalf }) => isInHalf), addressesOf(populations, fewer)],
    ['full', people.filter(({ isInHalf }) => !isInHalf), addressesOf(populations, addressCount)],
    ['worse', peopleOf(worse), addressesOf(worse, fewer)],
    ['better', peopleOf(better), addressesOf(better, fewer)],
  ] as const) {
    const startedMs = performance.now();
    await house.know(learned);
    const knownMs = performance.now();
    const answers = await house.judge(asked);
    judged.set(run, answers);
    process.stdout.write(
      `${run}: ${learned.length} people in ${seconds(startedMs, knownMs)} s, ${answers.length} addresses in ${seconds(knownMs, performance.now())} s\n`,
    );
  }
}, 60 * minuteMs);

afterAll(() => house?.stop(), minuteMs);

function addressesOf(populations: readonly Population[], count: number): AskedAddress[] {
  return populations.flatMap(({ addresses }) => addresses.slice(0, count));
}

function peopleOf(populations: readonly Population[]): StorePerson[] {
  return populations.flatMap(({ people }) => people);
}

function seconds(fromMs: number, toMs: number): string {
  return ((toMs - fromMs) / 1_000).toFixed(0);
}

function of(run: Run): JudgedAddress[] {
  return run === 'empty' ? of('full') : (judged.get(run) ?? []);
}

function isKept(fill: Fill, without?: string) {
  return ({ source }: Observation) => source !== without && (fill !== 'empty' || source !== personSource);
}

function opinionsAt(fill: Fill): Opinion[] {
  return fill === 'empty' ? decideAgain(of(fill), weights, isKept(fill)) : opinionsOf(of(fill));
}

test('the figures of the population are printed', () => {
  const sources = [
    ...new Set(of('full').flatMap(address => observationsOf(address).map(({ source }) => source))),
  ].sort();
  const full = opinionsAt('full');
  const lines: string[] = [];
  for (const fill of fills) {
    const opinions = opinionsAt(fill);
    const { recall, precision } = ceilingOf(of(fill), 0.97, isKept(fill));
    lines.push(
      '',
      `== People store ${fill}`,
      figuresHead,
      figuresLine('all', opinions),
      ...by(opinions, ({ address }) => `provider ${address.provider}`),
      ...by(opinions, ({ address }) => `asked as ${address.kind}`),
      ...by(opinions, ({ address }) => `size ${address.size}`),
      ...sources.map(source =>
        figuresLine(`without ${source}`, decideAgain(of(fill), weights, isKept(fill, source))),
      ),
      figuresLine(
        'with weights fitted to the other seeds',
        decideFitted(of(fill), weights, seedOf, isKept(fill)),
      ),
      ...byStrongest(opinions),
      `the best weights would find ${recall.toFixed(4)} of the existing at a precision of ${precision.toFixed(4)}`,
      reliabilityOf(opinions),
      calibrationOf(opinions),
      foundOf(of(fill)),
      patternsKnown(fill),
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
  for (const fill of ['half', 'full'] as const) {
    const again = decideAgain(of(fill), weights, isKept(fill));
    expect(again.filter(({ isConfirmed }) => isConfirmed)).toHaveLength(
      measure(opinionsOf(of(fill))).confirmed,
    );
    expect(again.map(({ isConfirmed }) => isConfirmed)).toEqual(
      opinionsOf(of(fill)).map(({ isConfirmed }) => isConfirmed),
    );
  }
  const emptyStore = new Map(
    (judged.get('empty') ?? []).map(({ email, verdict }) => [email, verdict.result]),
  );
  const again = opinionsAt('empty').filter(({ address }) => emptyStore.has(address.email));
  expect(again).toHaveLength(fewer);
  const validated = (of: readonly (readonly [string, boolean])[]) =>
    of.flatMap(([email, is]) => (is ? [email] : [])).sort();
  expect(validated(again.map(({ address, isConfirmed }) => [address.email, isConfirmed] as const))).toEqual(
    validated([...emptyStore].map(([email, result]) => [email, result === 'catch_all_validated'] as const)),
  );
});

/** Whether posteriors are right at each provider, not only over all. */
function calibrationOf(opinions: readonly Opinion[]): string {
  return formatCalibration(
    calibrationBy(
      opinions.flatMap(({ address, posterior }) =>
        posterior === undefined ? [] : [{ group: address.provider, posterior, exists: address.exists }],
      ),
    ),
  );
}

/** How much of what can be found is found. */
function foundOf(addresses: readonly JudgedAddress[]): string {
  const printed = addresses.filter(({ exists, evidence }) => exists && evidence.printed);
  const told = addresses.filter(({ exists, evidence }) => exists && evidence.told);
  const found = (group: readonly JudgedAddress[]) => `${group.filter(isDecisive).length} of ${group.length}`;
  return `found of the existing addresses that a site prints: ${found(printed)}; that a host or a directory tells: ${found(told)}`;
}

/** What the store could find if the pattern of every company were known, as outcomes of mail teach it. */
function patternsKnown(fill: Fill): string {
  const fitting = of(fill).filter(
    ({ evidence }) => fill !== 'empty' && (fill === 'half' ? evidence.fitsHalf : evidence.fitsFull),
  );
  const existing = of(fill).filter(({ exists }) => exists).length;
  const right = fitting.filter(({ exists }) => exists).length;
  return `if the pattern of every company were known, known people would fit ${right} of ${existing} existing addresses (${(right / existing).toFixed(4)}), and ${fitting.length - right} others (precision ${(right / fitting.length).toFixed(4)})`;
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
  const { confirmed, precision, precisionLowerBound, recallOfDecisive } = measure(opinionsAt(fill));
  expect(confirmed).toBeGreaterThan(0);
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recallOfDecisive).toBeGreaterThanOrEqual(0.9);
  if (fill !== 'half') {
    expect(precisionLowerBound).toBeGreaterThanOrEqual(0.97);
  }
});

test.each(['worse', 'better'] as const)('it stays right where rates are off by two and %s', direction => {
  expect(measure(opinionsOf(of(direction))).precision).toBeGreaterThanOrEqual(0.95);
});
