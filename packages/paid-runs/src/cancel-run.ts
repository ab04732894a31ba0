import type { AccountId } from '@mailproof/shared-types';
import { beginEnding } from './advance-run.ts';
import { hasEnded, type PaidRun } from './paid-run.ts';
import type { RunPorts } from './run-ports.ts';

/** A run changes with every chunk; one that is cancelled is found still between two of them. */
const triesMax = 50;

/**
 * Cancels a run: from the answer on nothing more is delivered. What was delivered is settled afterwards by the run's
 * job. A run that has ended, or is ending, stays as it is. Undefined where the account has no such run.
 */
export async function cancelRun<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction> & { readonly enqueue: (runId: Run['runId']) => Promise<void> },
  accountId: AccountId,
  runId: Run['runId'],
): Promise<Run | undefined> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const run = await ports.runs.find(runId);
    if (run?.accountId !== accountId) {
      return undefined;
    }
    if (hasEnded(run) || run.ending !== null) {
      return run;
    }
    if (await beginEnding(ports, run, 'cancelled')) {
      await ports.enqueue(runId);
    }
  }
  throw new Error(`Run ${runId} changed ${triesMax} times while it was being cancelled.`);
}
