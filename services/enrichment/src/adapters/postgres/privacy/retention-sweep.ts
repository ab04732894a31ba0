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
import { sql as ownPeople } from '../own-people.sql.ts';
import { sql } from '../profiles.sql.ts';
import { removePeople, writePrivacyEvent } from './subjects.ts';

/** The number of people per transaction, so that other writers do not wait long. */
const peopleAtOnceMax = 1_000;

/** The number of rows per statement, so that none exceeds the statement timeout. */
const rowsAtOnceMax = 10_000;

const oldRows = [
  { deleteOld: sql.delete_old_history, days: historyDays },
  { deleteOld: sql.delete_old_removals, days: removalDays },
  { deleteOld: sql.delete_old_privacy_events, days: privacyEventDays },
];

/** Deletes people whose retention period has ended. Replicas may sweep concurrently: they take turns. */
export function createRetentionSweep(pool: Pool, retentionDays: number): RetentionSweep {
  return {
    async sweep(now) {
      let deleted = 0;
      for (let batch = peopleAtOnceMax; batch === peopleAtOnceMax; deleted += batch) {
        batch = await expirePeople(pool, firstLoadedBefore(retentionDays, now), now);
      }
      for (let batch = peopleAtOnceMax; batch === peopleAtOnceMax; deleted += batch) {
        batch = await expireOwnPeople(pool, firstLoadedBefore(retentionDays, now), now);
      }
      for (const { deleteOld, days } of oldRows) {
        const values = { before: daysBefore(days, now), rows_max: rowsAtOnceMax };
        while ((await deleteOld(pool, values)).rowCount === rowsAtOnceMax);
      }
      return { deleted };
    },
  };
}

function expirePeople(pool: Pool, before: Date, now: Date): Promise<number> {
  return inTransaction(pool, async client => {
    const due = await sql.find_expired_people(client, { loaded_before: before, people_max: peopleAtOnceMax });
    if (due.rows.length === 0) {
      return 0;
    }
    await sql.lock_profile_store(client, {});
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

/** Deletes people whom accounts have imported, counted from their first import. */
function expireOwnPeople(pool: Pool, before: Date, now: Date): Promise<number> {
  return inTransaction(pool, async client => {
    // Imports change the same rows under this lock.
    await sql.lock_profile_store(client, {});
    const values = { saved_before: before, people_max: peopleAtOnceMax };
    const people = (await ownPeople.delete_expired_own_people(client, values)).rowCount ?? 0;
    if (people > 0) {
      await writePrivacyEvent(client, {
        kind: 'expired',
        actor: 'retention',
        subjectHash: undefined,
        people,
        now,
      });
    }
    return people;
  });
}
