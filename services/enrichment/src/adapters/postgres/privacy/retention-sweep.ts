import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import {
  daysBefore,
  firstLoadedBefore,
  historyDays,
  privacyEventDays,
  type RetentionSweep,
  removalDays,
} from '../../../domain/privacy/subjects.ts';
import { lockProfileStore } from '../profile-store/loads.ts';
import { removePeople, writePrivacyEvent } from './subjects.ts';

/** The number of people per transaction, so that other writers do not wait long. */
const peopleAtOnceMax = 1_000;

/** The number of rows per statement, so that none exceeds the statement timeout. */
const rowsAtOnceMax = 10_000;

interface OldRows {
  readonly table: string;
  readonly key: string;
  readonly time: string;
  readonly days: number;
}

const oldRows: readonly OldRows[] = [
  { table: 'record_history', key: 'history_id', time: 'changed_at', days: historyDays },
  { table: 'removed_record', key: 'change_no', time: 'removed_at', days: removalDays },
  { table: 'privacy_event', key: 'privacy_event_id', time: 'at', days: privacyEventDays },
];

/** Deletes people whose retention period has ended. Replicas may sweep concurrently: they take turns. */
export function createRetentionSweep(pool: Pool, retentionDays: number): RetentionSweep {
  return {
    async sweep(now) {
      let deleted = 0;
      for (let batch = peopleAtOnceMax; batch === peopleAtOnceMax; deleted += batch) {
        batch = await expirePeople(pool, firstLoadedBefore(retentionDays, now), now);
      }
      for (const old of oldRows) {
        await deleteOld(pool, old, now);
      }
      return { deleted };
    },
  };
}

async function deleteOld(pool: Pool, { table, key, time, days }: OldRows, now: Date): Promise<void> {
  let deleted: number;
  do {
    const { rowCount } = await pool.query(
      `DELETE FROM ${table} WHERE ${key} IN (
         SELECT ${key} FROM ${table} WHERE ${time} < $1 ORDER BY ${time} LIMIT ${rowsAtOnceMax})`,
      [daysBefore(days, now)],
    );
    deleted = rowCount ?? 0;
  } while (deleted === rowsAtOnceMax);
}

function expirePeople(pool: Pool, before: Date, now: Date): Promise<number> {
  return inTransaction(pool, async client => {
    const due = await client.query<{ person_no: number }>(
      `SELECT person_no FROM person WHERE NOT is_synthetic AND created_at < $1
       ORDER BY created_at LIMIT $2`,
      [before, peopleAtOnceMax],
    );
    if (due.rows.length === 0) {
      return 0;
    }
    await lockProfileStore(client);
    const people = await removePeople(
      client,
      due.rows.map(({ person_no }) => person_no),
      now,
    );
    await writePrivacyEvent(client, {
      kind: 'expired',
      actor: 'retention',
      subjectHash: undefined,
      people,
      now,
    });
    return people;
  });
}
