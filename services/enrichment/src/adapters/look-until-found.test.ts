import { expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { lookUntilFound } from './look-until-found.ts';

/** Looks with the given outcomes, in order; the last one counts for all later looks. */
function search(outcomes: readonly (boolean | Error)[], intervalMs: number) {
  const happened: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let looks = 0;
  const looking = lookUntilFound({
    pool: { end: async () => void happened.push('closed') } as unknown as Pool,
    intervalMs,
    async look() {
      const outcome = outcomes[Math.min(looks, outcomes.length - 1)];
      looks += 1;
      happened.push('look');
      if (outcome instanceof Error) {
        throw outcome;
      }
      return outcome === true;
    },
    failed: error => void happened.push(error.message),
    found() {
      happened.push('found');
      end();
    },
  });
  return { looking, happened, ended };
}

it('looks again after each pause and each failure, and closes the pool before it tells what it found', async () => {
  const { happened, ended } = search([false, new Error('unreachable'), true], 1);
  await ended;
  expect(happened).toEqual(['look', 'look', 'unreachable', 'look', 'closed', 'found']);
});

it('looks within the pause when it is asked to', async () => {
  const { looking, happened, ended } = search([false, true], 3_600_000);
  looking.lookNow();
  await ended;
  expect(happened).toEqual(['look', 'look', 'closed', 'found']);
});

it('finds nothing after it is closed', async () => {
  const { looking, happened } = search([false], 3_600_000);
  await looking.close();
  expect(happened).toEqual(['look', 'closed']);
});
