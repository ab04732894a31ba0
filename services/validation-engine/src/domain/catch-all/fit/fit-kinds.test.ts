import { describe, expect, test } from '@jest/globals';
import type { Observation } from '../observation.ts';
import { weigh } from '../weigh.ts';
import { weights } from '../weights.ts';
import { fitWeights } from './fit-weights.ts';
import { boundAccounts, type Labeled } from './labeled.ts';

type Kind = readonly [source: 'mail_provider' | 'domain_kind' | 'local_part_shape', finding: string];

function addresses(count: number, exists: boolean, kinds: readonly Kind[], account?: string): Labeled[] {
  const observations = kinds.map(([source, finding]) => ({ source, finding }) as Observation);
  return Array.from({ length: count }, (_, index) => ({
    domain: `d${index}`,
    exists,
    observations,
    account,
  }));
}
const at = (provider: string, kind = 'mailbox_host'): Kind[] => [
  ['mail_provider', kind],
  ['mail_provider', provider],
];
const fit = (...labeled: readonly (readonly Labeled[])[]) => fitWeights(labeled.flat(), weights, 'test');
const llrAt = (fitted: ReturnType<typeof fit>, provider: string) =>
  fitted.sources.mail_provider.llr[provider] ?? 0;

describe('the prior by kind of address', () => {
  test('moves to what many addresses of a provider show', () => {
    const fitted = fit(
      addresses(900, true, at('one')),
      addresses(100, false, at('one')),
      addresses(500, true, at('other')),
      addresses(500, false, at('other')),
    );
    const chance = (provider: string) =>
      weigh(
        at(provider).map(([source, finding]) => ({ source, finding }) as Observation),
        fitted,
        fitted.prior,
      ).posterior;
    expect(chance('one')).toBeCloseTo(0.9, 1);
    expect(chance('other')).toBeCloseTo(0.5, 1);
  });

  test('stays where a provider has few addresses, at the value of its kind', () => {
    const known = ['a', 'b', 'c', 'd'].flatMap(name => [
      ...addresses(120, true, at(name, 'gateway')),
      ...addresses(280, false, at(name, 'gateway')),
    ]);
    const others = [
      ...addresses(900, true, [['mail_provider', 'own_host']]),
      ...addresses(100, false, [['mail_provider', 'own_host']]),
    ];
    const fitted = fit(known, others, addresses(2, true, at('new', 'gateway')));
    const { gateway = 0, own_host: own = 0 } = fitted.sources.mail_provider.llr;
    expect(own - gateway).toBeGreaterThan(1.5);
    expect(Math.abs(llrAt(fitted, 'new'))).toBeLessThan(0.1);
  });

  test('is not moved by differences that chance explains', () => {
    const fitted = fit(
      addresses(22, true, at('one')),
      addresses(8, false, at('one')),
      addresses(23, true, at('other')),
      addresses(7, false, at('other')),
    );
    expect(Math.abs(llrAt(fitted, 'one'))).toBeLessThan(0.05);
  });

  test.each([
    [0.99, 5_000, 5_000, 0.5],
    [0.05, 5_000, 5_000, 0.5],
    [0.999, 0, 5_000, 0.01],
    [0.74, 200_000, 0, 0.999],
    [0.74, 0, 200_000, 0.001],
  ])(
    'from %d, with %i addresses that exist and %i that do not, is near %d',
    (prior, existing, missing, expected) => {
      const labeled = [...addresses(existing, true, []), ...addresses(missing, false, [])];
      expect(Math.abs(fitWeights(labeled, { ...weights, prior }, 'test').prior - expected)).toBeLessThan(
        0.02,
      );
    },
  );

  test('never confirms an address, however sure the outcomes are', () => {
    const shape: Kind = ['local_part_shape', 'word.word'];
    const fitted = fit(
      addresses(50_000, true, [...at('one'), shape]),
      addresses(10_000, false, [...at('other'), ['local_part_shape', 'other']]),
    );
    const kinds = [...at('one'), shape].map(([source, finding]) => ({ source, finding }) as Observation);
    const { observations } = weigh(kinds, fitted, fitted.prior);
    expect(observations.some(({ addressSpecific }) => addressSpecific)).toBe(false);
  });
});

describe('one account', () => {
  const honest = (count: number) =>
    ['a', 'b'].flatMap(account => [
      ...addresses(count * 0.75, true, at('one'), account),
      ...addresses(count * 0.25, false, at('one'), account),
    ]);

  test('counts for no more than all others, or for 1,000 addresses', () => {
    const total = (labeled: readonly Labeled[], name: string) =>
      boundAccounts(labeled)
        .filter(({ address }) => address.account === name)
        .reduce((sum, { weight }) => sum + weight, 0);
    expect(total(addresses(20_000, true, [], 'eve'), 'eve')).toBeCloseTo(1_000, 6);
    expect(total([...addresses(20_000, true, [], 'eve'), ...honest(4_000)], 'eve')).toBeCloseTo(8_000, 6);
    expect(total(honest(400), 'a')).toBeCloseTo(400, 6);
  });

  test('moves the prior no further with 50,000 outcomes than with 8,000', () => {
    const priorWith = (count: number) => fit(honest(4_000), addresses(count, true, at('one'), 'eve')).prior;
    expect(priorWith(50_000)).toBeCloseTo(priorWith(8_000), 2);
    expect(priorWith(50_000)).toBeLessThan(0.9);
  });

  test('in a file of the operator, each address counts', () => {
    expect(boundAccounts(addresses(5_000, true, [])).every(({ weight }) => weight === 1)).toBe(true);
  });
});
