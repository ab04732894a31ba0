import { traceParent } from '@mailproof/service-kit';
import { collectChargeJob } from '@mailproof/shared-types';
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { CollectionPorts } from '../../domain/charging/charge.ts';

/** How long the relay leaves a note alone, in seconds; the charge is usually collected without it in that time. */
const dueAfterSeconds = 3;
/** Finished notes are deleted in batches: no caller waits for it, and each statement is a commit. */
const struckOffEveryMs = 100;
const struckOffTogetherMax = 1_000;

/** Notes of charges to collect are rows of the outbox, so that the relay collects those left behind. */
export function createChargeNotes(pool: Pool): Pick<CollectionPorts, 'writeDown' | 'deleteNote'> {
  const noteDeletions = new DataLoader<string, void>(
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
    deleteNote: noteId => noteDeletions.load(noteId),
  };
}
