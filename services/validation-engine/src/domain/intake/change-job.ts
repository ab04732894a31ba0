import { type AccountId, isSandboxAccount, type ValidationJobId } from '@mailproof/shared-types';
import type { TakeTurn } from '../concurrency/turns.ts';
import type { IntakeStore } from './intake-job.ts';
import type { JobView, JobViews } from './job-view.ts';
import { type Reading, recountJob } from './recount-job.ts';

export interface JobChange extends Reading {
  readonly name?: string;
}

export type ChangeJob = (
  accountId: AccountId,
  jobId: ValidationJobId,
  change: JobChange,
) => Promise<JobView | 'not_found' | 'started' | 'turned_away'>;

/**
 * Renames a job and, before its start, changes how its rows are read.
 *
 * @throws IntakeFault if the rows cannot be read in that way; the job then remains unchanged
 */
export function createChangeJob(
  store: Pick<IntakeStore, 'recount'>,
  views: Pick<JobViews, 'find' | 'rename'>,
  takeTurn: TakeTurn,
): ChangeJob {
  return async (accountId, jobId, { name, ...reading }) => {
    const job = await views.find(accountId, jobId);
    if (!job) {
      return 'not_found';
    }
    const isRead = reading.addressColumn !== undefined || reading.hasHeader !== undefined;
    if (isRead) {
      const recount = () => recountJob(store, jobId, { ...reading, isSandbox: isSandboxAccount(accountId) });
      const turn = await takeTurn(accountId, recount);
      if (turn.kind === 'turned_away') {
        return 'turned_away';
      }
      if (!turn.result) {
        return 'started';
      }
    }
    if (name !== undefined) {
      await views.rename(accountId, jobId, name);
    }
    return (await views.find(accountId, jobId)) ?? 'not_found';
  };
}
