import { type HoldId, settleHoldJob } from '@mailproof/shared-types';
import type { PrismaClient } from './generated/client.ts';

/** Writes down that a hold must still be settled; the relay takes it from there. */
export function createSettleLater(prisma: PrismaClient) {
  return async (holdId: HoldId, delivered: number): Promise<void> => {
    const payload = settleHoldJob.payload.parse({ holdId, delivered });
    await prisma.outbox.create({ data: { jobType: settleHoldJob.name, payload } });
  };
}
