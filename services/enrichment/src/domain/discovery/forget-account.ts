import type { AccountId } from '@mailproof/shared-types';
import { advanceRun } from './advance-run.ts';
import { cancelRun } from './cancel-run.ts';
import type { Run } from './run.ts';
import type { RunPorts } from './run-ports.ts';

/** Steps that the settlement of one run takes at most, lost holds included. */
const stepsMax = 10;

/**
 * Forgets a portion of what is kept of a deleted account: its runs are cancelled and settled first, so that none goes on
 * saving people for nobody, then rows are deleted.
 */
export async function forgetAccount<Transaction>(
  ports: RunPorts<Transaction> & {
    readonly enqueue: (runId: Run['runId']) => Promise<void>;
    readonly findUnderWay: (accountId: AccountId) => Promise<readonly Run[]>;
    readonly forgetRows: (accountId: AccountId) => Promise<{ deleted: number; remaining: boolean }>;
  },
  accountId: AccountId,
): Promise<{ deleted: number; remaining: boolean }> {
  for (const { runId } of await ports.findUnderWay(accountId)) {
    await cancelRun(ports, accountId, runId);
    for (let steps = 0; steps < stepsMax && (await advanceRun(ports, runId)) === 'more'; steps += 1) {
      // Each step settles, or replaces a hold that was lost.
    }
  }
  const isUnderWay = (await ports.findUnderWay(accountId)).length > 0;
  return isUnderWay ? { deleted: 0, remaining: true } : ports.forgetRows(accountId);
}
