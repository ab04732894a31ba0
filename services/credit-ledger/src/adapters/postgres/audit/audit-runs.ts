import type { Pool } from 'pg';
import type { AuditRuns, PastRun } from '../../../domain/audit/audit-when-due.ts';

/** Any number that no other lock of this database has; the first digits of the word "audit" in ASCII. */
const lockKey = 0x61756469;

const keepRunsDays = 90;

interface RunRow {
  readonly finished_at: Date;
  readonly faults: string;
  readonly unexamined: string;
  readonly settled_until: string;
}

/** Past audits on Postgres. Replicas take turns by an advisory lock, which ends with its connection whatever happens. */
export function createAuditRuns(pool: Pool): AuditRuns {
  async function newest(condition: string): Promise<PastRun | undefined> {
    const { rows } = await pool.query<RunRow>(
      `SELECT finished_at, faults, unexamined, settled_until FROM audit_run
       WHERE ${condition} ORDER BY finished_at DESC LIMIT 1`,
    );
    const [row] = rows;
    return (
      row && {
        finishedAt: row.finished_at,
        faultsTotal: Number(row.faults),
        unexaminedTotal: Number(row.unexamined),
        settledUntil: Number(row.settled_until),
      }
    );
  }

  return {
    async past() {
      const [last, lastFull, lastClean] = await Promise.all([
        newest('true'),
        newest("depth = 'full'"),
        newest('faults = 0 AND unexamined = 0'),
      ]);
      return { last, lastFull, lastClean };
    },

    async record({ depth, accounts, faultsTotal, unexamined, settledUntil }, startedAt, finishedAt) {
      await pool.query(
        `INSERT INTO audit_run (depth, started_at, finished_at, accounts, faults, unexamined, settled_until)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [depth, startedAt, finishedAt, accounts, faultsTotal, unexamined.length, settledUntil],
      );
      await pool.query(
        `DELETE FROM audit_run WHERE finished_at < $1::timestamptz - interval '${keepRunsDays} days'`,
        [finishedAt],
      );
    },

    async inTurn(work) {
      const client = await pool.connect();
      let isSound = false;
      try {
        const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
          lockKey,
        ]);
        if (!rows[0]?.taken) {
          isSound = true;
          return undefined;
        }
        try {
          return await work();
        } finally {
          await client.query('SELECT pg_advisory_unlock($1)', [lockKey]);
          isSound = true;
        }
      } finally {
        // Closing the connection is what gives back a lock that could not be unlocked.
        client.release(!isSound);
      }
    },
  };
}
