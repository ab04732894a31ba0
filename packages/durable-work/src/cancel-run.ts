import type { AccountId } from '@mailproof/shared-types';
import { advanceRun, beginEnding } from './advance-run.ts';
import { hasEnded, type PaidRun } from './paid-run.ts';
import type { RunPorts } from './run-ports.ts';
import { untilChanged } from './work.ts';

/**
 * Cancels a run: once this resolves, nothing more is delivered. The run's job then settles what was delivered. A run
 * that has ended, or is ending, stays as it is. Undefined if the account has no such run.
 */
export async function cancelRun<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  accountId: AccountId,
  runId: Run['runId'],
): Promise<Run | undefined> {
  const found = await untilChanged(async () => {
    const run = await ports.runs.find(runId);
    if (run?.accountId !== accountId) {
      return null;
    }
    if (hasEnded(run) || run.ending !== null) {
      return run;
    }
    return beginEnding(ports, run, 'cancelled', { nextJob: { waitMs: 0 } });
  });
  return found ?? undefined;
}

/** The most steps that the settlement of one run takes, including lost holds. */
const stepsMax = 10;

/** Cancels and settles the runs of an account that is being deleted; false if some are still running. */
export async function endAccountRuns<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction> & {
    readonly findActive: (accountId: AccountId) => Promise<readonly Run[]>;
  },
  accountId: AccountId,
): Promise<boolean> {
  for (const { runId } of await ports.findActive(accountId)) {
    await cancelRun(ports, accountId, runId);
    for (let steps = 0; steps < stepsMax && (await advanceRun(ports, runId)) === 'more'; steps += 1) {
      // Each step settles, or replaces a lost hold.
    }
  }
  return (await ports.findActive(accountId)).length === 0;
}
