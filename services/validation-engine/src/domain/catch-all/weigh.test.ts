import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { Observation } from './observation.ts';
import { weigh } from './weigh.ts';
import { type GroupId, readWeights, weights } from './weights.ts';

const observation: fc.Arbitrary<Observation> = fc
  .constantFrom(
    ...Object.entries(weights.sources).flatMap(([source, { llr }]) =>
      Object.keys(llr).map(finding => ({ source, finding }) as Observation),
    ),
  )
  .chain(bare => fc.option(fc.integer({ min: 0, max: 5_000 })).map(ageDays => aged(bare, ageDays)));
const observations = fc.array(observation, { maxLength: 12 });
const prior = fc.double({ min: 0.01, max: 0.99, noNaN: true });

function aged(bare: Observation, ageDays: number | null): Observation {
  return ageDays === null ? bare : { ...bare, ageDays };
}

const posteriorOf = (seen: readonly Observation[], from = weights.prior) =>
  weigh(seen, weights, from).posterior;
const oddsOf = (share: number) => Math.log(share / (1 - share));

describe('weighing', () => {
  test('starts from the prior', () => {
    expect(posteriorOf([])).toBeCloseTo(0.74, 10);
    expect(posteriorOf([], 0.4)).toBeCloseTo(0.4, 10);
  });

  test('names its weights and what each observation counts for', () => {
    const { weightsVersion, observations: weighed } = weigh(
      [{ source: 'openpgpkey', finding: 'published' }],
      weights,
      0.74,
    );
    expect(weightsVersion).toBe(weights.version);
    expect(weighed).toEqual([{ source: 'openpgpkey', finding: 'published', llr: 4, addressSpecific: true }]);
  });

  test.each<readonly [string, readonly Observation[], number]>([
    ['an OpenPGP key in DNS', [{ source: 'openpgpkey', finding: 'published' }], 0.9936],
    ['a key in a web directory', [{ source: 'web_key_directory', finding: 'published' }], 0.9895],
    ['an account', [{ source: 'webfinger', finding: 'published' }], 0.8856],
    ['a code that differs', [{ source: 'differential_reply', finding: 'code_differs' }], 0.9828],
    ['a text that differs', [{ source: 'differential_reply', finding: 'text_differs' }], 0.8243],
    ['a host that knows the recipient', [{ source: 'published_mx', finding: 'knows_recipient' }], 0.9991],
    ['no key', [{ source: 'openpgpkey', finding: 'not_published' }], 0.74],
    ['a key for every address', [{ source: 'openpgpkey', finding: 'published_for_everybody' }], 0.74],
  ])('counts %s', (_name, seen, expected) => {
    expect(posteriorOf(seen)).toBeCloseTo(expected, 3);
  });

  test('halves what is one half-life old', () => {
    const { halfLifeDays } = weights.sources.openpgpkey;
    const [weighed] = weigh(
      [{ source: 'openpgpkey', finding: 'published', ageDays: halfLifeDays }],
      weights,
      0.74,
    ).observations;
    expect(weighed?.llr).toBeCloseTo(2, 10);
  });

  test('never counts an observation from the future for more than a fresh one', () => {
    const fresh = posteriorOf([{ source: 'openpgpkey', finding: 'published' }]);
    expect(posteriorOf([{ source: 'openpgpkey', finding: 'published', ageDays: -400 }])).toBe(fresh);
  });

  test('does not depend on the order of observations', () => {
    fc.assert(
      fc.property(
        observations.chain(seen =>
          fc.tuple(fc.constant(seen), fc.shuffledSubarray(seen, { minLength: seen.length })),
        ),
        prior,
        ([seen, shuffled], from) => {
          expect(posteriorOf(shuffled, from)).toBe(posteriorOf(seen, from));
        },
      ),
    );
  });

  test('never falls through another observation in favor of the address', () => {
    fc.assert(
      fc.property(observations, observation, prior, (seen, further, from) => {
        const { llr } = weigh([further], weights, from).observations[0] ?? { llr: 0 };
        fc.pre(llr >= 0);
        expect(posteriorOf([...seen, further], from)).toBeGreaterThanOrEqual(posteriorOf(seen, from));
      }),
    );
  });

  test('never rises through another observation against the address', () => {
    fc.assert(
      fc.property(observations, observation, prior, (seen, further, from) => {
        const { llr } = weigh([further], weights, from).observations[0] ?? { llr: 0 };
        fc.pre(llr <= 0);
        expect(posteriorOf([...seen, further], from)).toBeLessThanOrEqual(posteriorOf(seen, from));
      }),
    );
  });

  test('never lets a group count for more than its cap', () => {
    const groups = Object.keys(weights.groupCaps) as GroupId[];
    fc.assert(
      fc.property(observations, fc.constantFrom(...groups), (seen, group) => {
        const members = seen.filter(({ source }) => weights.sources[source].group === group);
        const shift = oddsOf(posteriorOf(members)) - oddsOf(weights.prior);
        expect(Math.abs(shift)).toBeLessThanOrEqual(weights.groupCaps[group] + 1e-9);
      }),
    );
  });

  test('stays between 0 and 1', () => {
    fc.assert(
      fc.property(observations, prior, (seen, from) => {
        const posterior = posteriorOf(seen, from);
        expect(posterior).toBeGreaterThan(0);
        expect(posterior).toBeLessThan(1);
      }),
    );
  });
});

test('weights of an earlier release have the built-in values for new sources', () => {
  const { known_person: _source, ...sources } = weights.sources;
  const { person: _cap, ...groupCaps } = weights.groupCaps;
  const fitted = { ...weights, version: 'fitted', sources, groupCaps };
  expect(readWeights(fitted)).toEqual({ ...weights, version: 'fitted' });
  expect(() => readWeights({ ...fitted, sources: { ...sources, gravatar: {} } })).toThrow(z.ZodError);
});
