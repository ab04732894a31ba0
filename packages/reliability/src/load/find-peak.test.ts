import { describe, expect, it } from '@jest/globals';
import { findPeak } from './find-peak.ts';
import type { Generator, LoadKind } from './start-generator.ts';

const stepSeconds = 15;
const { signal } = new AbortController();

/** A machine that responds in time up to a rate, which may depend on the duration of the load. */
function machineOf(perSecondMaxOf: (seconds: number) => number): Generator {
  return {
    load: async ([kind], seconds) => {
      const perSecond = kind?.perSecond ?? 0;
      const p99Ms = perSecond <= perSecondMaxOf(seconds) ? 20 : 900;
      const due = perSecond * seconds;
      return [
        { name: '', due, answered: due, errors: {}, p50Ms: 1, p90Ms: 1, p99Ms, p999Ms: p99Ms, maxMs: p99Ms },
      ];
    },
    renew: () => undefined,
    stop: async () => undefined,
  };
}

const kindsAt = (perSecond: number): readonly LoadKind[] => [
  { name: 'a kind', url: '', headers: {}, perSecond, shows: '' },
];

describe('the peak', () => {
  it.each([30, 300, 999])('of a machine that answers %d a second is near it', async perSecondMax => {
    const { perSecond } = await findPeak(
      machineOf(() => perSecondMax),
      kindsAt,
      stepSeconds,
      signal,
    );
    expect(perSecond).toBeLessThanOrEqual(perSecondMax);
    expect(perSecond).toBeGreaterThanOrEqual(perSecondMax * 0.83);
  });

  it('is what is kept for longer than a step', async () => {
    const machine = machineOf(seconds => (seconds > stepSeconds ? 250 : 300));
    const { perSecond, steps } = await findPeak(machine, kindsAt, stepSeconds, signal);
    expect(perSecond).toBe(243);
    expect(steps.filter(step => !step.isKept).map(step => step.perSecond)).toContain(300);
  });

  it.each([
    ['nothing is kept', () => 10, 'Not even 25 requests a second'],
    ['nothing is kept for longer', (seconds: number) => (seconds > stepSeconds ? 10 : 300), 'for a moment'],
  ])('is not made up where %s', async (_, perSecondMaxOf, sentence) => {
    await expect(findPeak(machineOf(perSecondMaxOf), kindsAt, stepSeconds, signal)).rejects.toThrow(sentence);
  });
});
