import { describe, expect, it } from '@jest/globals';
import { faults } from '../src/faults/index.ts';
import { runFaults } from '../src/run-faults.ts';

/* Tests the whole system with few rows; `pnpm faults` runs every fault. A failure shows the whole row of the table. */

const short = ['kill-validation-engine', 'restart-postgres', 'flush-redis'];
const timeoutMs = 400_000;

describe('customers lose nothing and pay once', () => {
  it(
    `when ${short.join(', ')} strike in the middle of their work`,
    async () => {
      const { outcomes } = await runFaults({
        faults: faults.filter(({ name }) => short.includes(name)),
        rows: 40,
        signal: AbortSignal.timeout(timeoutMs),
        report: () => undefined,
      });
      expect(outcomes.map(({ name }) => name).toSorted()).toEqual(short.toSorted());
      expect(outcomes.filter(({ isHeld }) => !isHeld)).toEqual([]);
    },
    timeoutMs,
  );
});
