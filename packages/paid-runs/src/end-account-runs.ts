import type { AccountId } from '@mailproof/shared-types';
import { advanceRun } from './advance-run.ts';
import { cancelRun } from './cancel-run.ts';
import type { PaidRun } from './paid-run.ts';
import type { RunPorts } from './run-ports.ts';

/** Steps that the settlement of one run takes at most, lost holds included. */
const stepsMax = 10;

/** Cancels and settles the runs of an account that is being deleted; false where some are still under way afterwards. */
export async function endAccountRuns<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction> & {
    readonly enqueue: (runId: Run['runId']) => Promise<void>;
    readonly findUnderWay: (accountId: AccountId) => Promise<readonly Run[]>;
  },
  accountId: AccountId,
): Promise<boolean> {
  for (const { runId } of await ports.findUnderWay(accountId)) {
    await cancelRun(ports, accountId, runId);
    for (let steps = 0; steps < stepsMax && (await advanceRun(ports, runId)) === 'more'; steps += 1) {
      // Each step settles, or replaces a hold that was lost.
    }
  }
  return (await ports.findUnderWay(accountId)).length === 0;
}
