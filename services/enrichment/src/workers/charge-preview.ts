import type { RunCredits } from '@mailproof/paid-runs';
import type { chargePreviewJob, HoldId } from '@mailproof/shared-types';
import type { z } from 'zod';

/** Charges a preview that was shown. A hold that stood too short a time is told of, and nothing is charged. */
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
