import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import {
  daysBefore,
  firstLoadedBefore,
  historyDays,
  privacyEventDays,
  removalDays,
} from '../../../domain/privacy/retention.ts';
import type { RetentionSweep } from '../../../domain/privacy/subjects.ts';
import { lockProfileStore } from '../profile-store/write-lock.ts';
import { writePrivacyEvent } from './privacy-events.ts';
import { removePeople } from './remove-people.ts';

/** People of one transaction, so that others who write are not kept waiting. */
const peopleAtOnceMax = 1_000;

/** Deletes what has been kept long enough. Replicas may sweep at once: they take turns. */
export function createRetentionSweep(pool: Pool, retentionDays: number): RetentionSweep {
  return {
    async sweep(now) {
      let deleted = 0;
      for (let batch = peopleAtOnceMax; batch === peopleAtOnceMax; deleted += batch) {
        batch = await expirePeople(pool, firstLoadedBefore(retentionDays, now), now);
      }
      await pool.query('DELETE FROM record_history WHERE changed_at < $1', [daysBefore(historyDays, now)]);
      await pool.query('DELETE FROM removed_record WHERE removed_at < $1', [daysBefore(removalDays, now)]);
      await pool.query('DELETE FROM privacy_event WHERE at < $1', [daysBefore(privacyEventDays, now)]);
      return { deleted };
    },
  };
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
