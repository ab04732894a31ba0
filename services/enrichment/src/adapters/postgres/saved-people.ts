import { inTransaction, writeCursor } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/people-delivery.ts';
import type { SavedPageRequest, SavedPeople } from '../../domain/saved/saved-records.ts';
import {
  provenanceOf,
  readSources,
  type SourcedRow,
  sourcedColumns,
  sourceIdsOf,
} from './person-provenance.ts';
import { type SavedRow, savedColumns, savedJoins, savedPersonOf } from './person-rows.ts';
import type { Transaction } from './run-store.ts';
import {
  afterCondition,
  createConditions,
  type PageOrder,
  partOf,
  readRowCursor,
  withCursor,
} from './saved-page.ts';

const companyName = "coalesce(c.name, p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  company: { key: `lower(${companyName})`, type: 'text', direction: 'ASC' },
};

const fromSaved = `FROM saved_person s JOIN person p ON p.person_no = s.person_no ${savedJoins}`;

/** Rows of an active run are kept, since it will be charged for them. */
const remove = `
  WITH named AS (
    SELECT s.person_no, r.run_id IS NOT NULL AS is_kept
    FROM saved_person s JOIN person p USING (person_no)
    LEFT JOIN discovery_run r ON r.run_id = s.run_id AND r.state IN ('queued', 'running')
    WHERE s.account_id = $1 AND p.person_id = ANY($2::text[])
  ), removed AS (
    DELETE FROM saved_person s USING named
    WHERE s.account_id = $1 AND s.person_no = named.person_no AND NOT named.is_kept RETURNING s.person_no
  ), unlisted AS (
    DELETE FROM saved_list_entry e USING saved_list l, removed
    WHERE e.list_id = l.list_id AND l.account_id = $1 AND e.person_no = removed.person_no
  )
  SELECT (SELECT count(*)::int FROM removed) AS removed, (SELECT count(*)::int FROM named WHERE is_kept) AS kept`;

/** Stores saved people in Postgres. */
export function createSavedPeople(pool: Pool): SavedPeople {
  return {
    list: (accountId, request) =>
      withCursor(request.cursor, async () => {
        const order = orders[request.sort];
        const where = createConditions([accountId]);
        where.add(
          `(p.full_name ILIKE ? OR p.job_title ILIKE ? OR p.headline ILIKE ? OR ${companyName} ILIKE ?)`,
          partOf(request.text),
        );
        where.add('p.seniority = ?', request.seniority);
        where.add('p.department = ?', request.department);
        where.add(`(${companyName} ILIKE ? OR c.domain ILIKE ?)`, partOf(request.company));
        where.add('p.country = ?', request.country);
        where.add('s.run_id = ?', request.run_id);
        where.add(
          'EXISTS (SELECT 1 FROM saved_list_entry e WHERE e.list_id = ? AND e.person_no = s.person_no)',
          request.list_id,
        );
        const after =
          request.cursor === undefined
            ? ''
            : afterCondition(order, 's.person_no', where.values.push(...readRowCursor(request.cursor)) - 1);
        const { rows } = await pool.query<SavedRow & { order_key: string }>(
          `SELECT ${savedColumns}, (${order.key})::text AS order_key ${fromSaved}
           WHERE s.account_id = $1${where.toSql()}${after}
           ORDER BY ${order.key} ${order.direction}, s.person_no ${order.direction} LIMIT ${request.limit + 1}`,
          where.values,
        );
        const shown = rows.slice(0, request.limit);
        const last = rows.length > request.limit ? shown.at(-1) : undefined;
        return {
          people: shown.map(savedPersonOf),
          nextCursor: last && writeCursor([last.order_key, last.person_no]),
        };
      }),

    async find(accountId, personId) {
      const { rows } = await pool.query<SourcedRow>(
        `SELECT ${savedColumns}, ${sourcedColumns} ${fromSaved} WHERE s.account_id = $1 AND p.person_id = $2`,
        [accountId, personId],
      );
      const [row] = rows;
      return (
        row && {
          ...savedPersonOf(row),
          provenance: provenanceOf(row, await readSources(pool, sourceIdsOf(row))),
        }
      );
    },

    remove: (accountId, personIds) =>
      inTransaction(pool, async client => {
        const { rows } = await client.query<{ removed: number; kept: number }>(remove, [
          accountId,
          personIds,
        ]);
        return rows[0] ?? { removed: 0, kept: 0 };
      }),
  };
}

/**
 * A person who is not in `person` is not saved: suppression is absence. The lock keeps people from being deleted
 * between the check and the insert.
 */
const save = `
  WITH present AS (
    SELECT person_no FROM person WHERE person_no = ANY($3::int[]) ORDER BY person_no FOR KEY SHARE
  ), saved AS (
    INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $2 FROM present
    ON CONFLICT DO NOTHING RETURNING person_no
  ), listed AS (
    INSERT INTO saved_list_entry (list_id, person_no)
    SELECT list_id, person_no FROM saved, saved_list WHERE list_id = $4 AND account_id = $1
    ON CONFLICT DO NOTHING
  )
  SELECT count(*)::int AS saved FROM saved`;

const unsaved = `
  SELECT array(
    SELECT candidate FROM unnest($2::int[]) AS candidate
    WHERE NOT EXISTS (SELECT 1 FROM saved_person WHERE account_id = $1 AND person_no = candidate)
    ORDER BY candidate) AS numbers`;

/** Implements saving for runs. */
export function createSavingStore(pool: Pool): SavingStore<Transaction> {
  return {
    async savedNumbers(accountId) {
      const { rows } = await pool.query<{ numbers: number[] }>(
        'SELECT array(SELECT person_no FROM saved_person WHERE account_id = $1 ORDER BY person_no) AS numbers',
        [accountId],
      );
      return Int32Array.from(rows[0]?.numbers ?? []);
    },
    async unsavedOf(accountId, personNos) {
      const { rows } = await pool.query<{ numbers: number[] }>(unsaved, [accountId, personNos]);
      return rows[0]?.numbers ?? [];
    },
    async save(client, run, personNos) {
      const { rows } = await client.query<{ saved: number }>(save, [
        run.accountId,
        run.runId,
        personNos,
        run.listId,
      ]);
      return rows[0]?.saved ?? 0;
    },
    async countSaved(client, { accountId, runId }) {
      const { rows } = await client.query<{ saved: number }>(
        'SELECT count(*)::int AS saved FROM saved_person WHERE run_id = $2 AND account_id = $1',
        [accountId, runId],
      );
      return rows[0]?.saved ?? 0;
    },
  };
}
