import { endAccountRuns, type RunPorts } from '@mailproof/paid-runs';
import type { AccountId } from '@mailproof/shared-types';
import type { Run } from './run.ts';

/**
 * Forgets a portion of what is kept of a deleted account: its runs are cancelled and settled first, so that none goes on
 * saving people for nobody, then rows are deleted.
 */
export async function forgetAccount<Transaction>(
  ports: RunPorts<Run, Transaction> & {
    readonly enqueue: (runId: Run['runId']) => Promise<void>;
    readonly findUnderWay: (accountId: AccountId) => Promise<readonly Run[]>;
    readonly forgetRows: (accountId: AccountId) => Promise<{ deleted: number; remaining: boolean }>;
  },
  accountId: AccountId,
): Promise<{ deleted: number; remaining: boolean }> {
  const haveEnded = await endAccountRuns(ports, accountId);
  return haveEnded ? ports.forgetRows(accountId) : { deleted: 0, remaining: true };
}
