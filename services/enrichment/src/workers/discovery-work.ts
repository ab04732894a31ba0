import { type DriveRunOptions, driveRun, type RunCredits } from '@mailproof/durable-work';
import type { chargePreviewJob, deliverRunJob, HoldId } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { Run } from '../domain/discovery/run.ts';

/** Drives a run step by step, each in its account's turn, until it has ended. */
export function deliverRunHandler<Transaction>(options: DriveRunOptions<Run, Transaction>) {
  return async ({ runId }: z.output<typeof deliverRunJob.payload>): Promise<void> => {
    await driveRun(options, runId);
  };
}

/** Charges a preview that was shown. A hold that expired too early is reported, and nothing is charged. */
export function chargePreviewHandler(
  { settle }: Pick<RunCredits, 'settle'>,
  onUnpaid: (holdId: HoldId, amount: number) => void,
) {
  return async ({ holdId, amount }: z.output<typeof chargePreviewJob.payload>): Promise<void> => {
    if ((await settle(holdId, amount)) === 'lost') {
      onUnpaid(holdId, amount);
    }
  };
}
