import { traceParent } from '@mailproof/service-kit';
import { collectChargeJob } from '@mailproof/shared-types';
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { CollectionPorts } from '../../domain/charging/collect-charges.ts';

/** The relay leaves a note alone for this long, in which the charge is mostly collected without it, in seconds. */
const dueAfterSeconds = 3;
/** Notes that are done with are struck off together: nobody waits for it, and each statement is a commit. */
const struckOffEveryMs = 100;
const struckOffTogetherMax = 1_000;

/** Notes of charges to be collected are rows of the outbox, so that the relay sees to those that are left behind. */
export function createChargeNotes(pool: Pool): Pick<CollectionPorts, 'writeDown' | 'strikeOff'> {
  const strikeOffs = new DataLoader<string, void>(
    async noteIds => {
      await pool.query({
        name: 'strike-off-charges',
        text: 'UPDATE outbox SET done_at = now() WHERE outbox_id = ANY($1::bigint[]) AND done_at IS NULL',
        values: [noteIds],
      });
      return noteIds.map(() => undefined);
    },
    {
      cache: false,
      maxBatchSize: struckOffTogetherMax,
      batchScheduleFn: strike => setTimeout(strike, struckOffEveryMs),
    },
  );

  return {
    async writeDown(charge) {
      const payload = collectChargeJob.payload.parse(charge);
      const { rows } = await pool.query<{ outbox_id: string }>({
        name: 'write-down-charge',
        text: `
          INSERT INTO outbox (job_type, payload, due_at, trace_parent)
          VALUES ($1, $2, now() + make_interval(secs => ${dueAfterSeconds}), $3) RETURNING outbox_id`,
        values: [collectChargeJob.name, payload, traceParent()],
      });
      return rows[0]?.outbox_id ?? '';
    },
    strikeOff: noteId => strikeOffs.load(noteId),
  };
}
