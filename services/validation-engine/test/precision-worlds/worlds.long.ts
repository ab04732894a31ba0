import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { figuresHead, figuresLine, measure, opinionsOf } from '../precision/population/figures.ts';
import { makePopulation, type Population } from '../precision/population/population.ts';
import {
  type JudgedAddress,
  type PopulationHouse,
  startPopulationHouse,
} from '../precision/population/population-house.ts';
import { randomOf } from '../precision/population/random.ts';
import { drawRates, loadRates } from '../precision/population/rates.ts';

/** Fewer are only for trying out the suite. */
const worldCount = Number(process.env['PRECISION_WORLDS'] ?? 20);
const addressCount = Number(process.env['PRECISION_WORLD_ADDRESSES'] ?? 500);
const seed = process.env['PRECISION_SEED'] ?? '';
const minuteMs = 60_000;
const precisionMin = 0.95;
/** A world counts as worse than allowed if its shortfall, or a larger one, had this chance; shared among all worlds. */
const chanceMin = 0.05 / worldCount;

let worlds: readonly (readonly [name: string, population: Population])[];
let house: PopulationHouse;
let judged: JudgedAddress[];

beforeAll(async () => {
  const fixed = loadRates();
  worlds = Array.from({ length: worldCount }, (_, number) => {
    const name = `world-${number}${seed}`;
    return [name, makePopulation(drawRates(fixed, randomOf(name)), name, addressCount)];
  });
  const populations = worlds.map(([, population]) => population);
  house = await startPopulationHouse(populations);
  await house.know(populations.flatMap(({ people }) => people));
  judged = await house.judge(populations.flatMap(({ addresses }) => addresses));
}, 30 * minuteMs);

afterAll(() => house?.stop(), minuteMs);

test('catch_all_validated is right in worlds whose rates are drawn from their ranges', () => {
  const verdicts = new Map(judged.map(address => [address.email, address]));
  const perWorld = worlds.map(([name, { addresses }]) => {
    const opinions = opinionsOf(addresses.flatMap(({ email }) => verdicts.get(email) ?? []));
    const { confirmed, right } = measure(opinions);
    return { name, opinions, chance: chanceOfAtMost(right, confirmed, precisionMin) };
  });
  const all = perWorld.flatMap(({ opinions }) => opinions);
  process.stdout.write(
    [
      '',
      `${figuresHead} chance of so few right at ${precisionMin}`,
      ...perWorld.map(({ name, opinions, chance }) => `${figuresLine(name, opinions)} ${chance.toFixed(4)}`),
      figuresLine('all', all),
      '',
    ].join('\n'),
  );
  expect(all).toHaveLength(worldCount * addressCount);
  expect(measure(all).precision).toBeGreaterThanOrEqual(precisionMin);
  expect(perWorld.filter(({ chance }) => chance < chanceMin).map(({ name }) => name)).toEqual([]);
});

/** The chance of at most so many successes in a number of trials (binomial distribution). */
function chanceOfAtMost(successes: number, trials: number, share: number): number {
  let [sum, term] = [0, (1 - share) ** trials];
  for (let count = 0; count <= successes; count += 1) {
    sum += term;
    term *= ((trials - count) / (count + 1)) * (share / (1 - share));
  }
  return Math.min(1, sum);
}

test('the chance is that of the binomial distribution', () => {
  // Of 10 tosses of a coin, at most 2 are heads with a chance of 56 in 1,024.
  expect(chanceOfAtMost(2, 10, 0.5)).toBeCloseTo(56 / 1_024, 10);
  expect(chanceOfAtMost(0, 0, 0.95)).toBe(1);
  expect(chanceOfAtMost(100, 100, 0.95)).toBeCloseTo(1, 8);
});
