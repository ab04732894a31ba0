import { onlyRow, traceParent, withoutStoreSpans } from '@mailproof/service-kit';
import { collectChargeJob } from '@mailproof/shared-types';
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { CollectionPorts } from '../../domain/charging/charge.ts';
import { sql } from './charging.sql.ts';

/** Finished notes are deleted in batches: no caller waits for it, and each statement is a commit. */
const struckOffEveryMs = 100;
const struckOffTogetherMax = 1_000;

/** Notes of charges to collect are rows of the outbox, so that the relay collects those left behind. */
export function createChargeNotes(pool: Pool): Pick<CollectionPorts, 'writeDown' | 'deleteNote'> {
  const noteDeletions = new DataLoader<string, void>(
    async noteIds => {
      // A batch belongs to no single request, so it is in no trace.
      await withoutStoreSpans(() => sql.strike_off_charges(pool, { note_ids: noteIds.map(Number) }));
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
      const note = sql.write_down_charge(pool, {
        job_type: collectChargeJob.name,
        payload: JSON.stringify(collectChargeJob.payload.parse(charge)),
        trace_parent: traceParent(),
      });
      return (await onlyRow(note)).outbox_id;
    },
    deleteNote: noteId => noteDeletions.load(noteId),
  };
}
