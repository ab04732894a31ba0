import { inTransaction, writeCursor } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { SavedPageRequest, SavedPeople } from '../../domain/saved/saved-records.ts';
import { readRowCursor, withCursor } from './page-cursor.ts';
import {
  provenanceOf,
  readSources,
  type SourcedRow,
  sourcedColumns,
  sourceIdsOf,
} from './person-provenance.ts';
import { type SavedRow, savedColumns, savedJoins, savedPersonOf } from './person-rows.ts';
import { afterCondition, createConditions, type PageOrder, partOf } from './saved-page.ts';

const companyName = "coalesce(c.name, p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  company: { key: `lower(${companyName})`, type: 'text', direction: 'ASC' },
};

const fromSaved = `FROM saved_person s JOIN person p ON p.person_no = s.person_no ${savedJoins}`;

/** Rows whose run is under way are what it will be charged for. */
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

/** Saved people on Postgres. */
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
