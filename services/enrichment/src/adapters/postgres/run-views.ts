import { writeCursor } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { RunViews } from '../../domain/discovery/run-views.ts';
import { readRowCursor, withCursor } from './page-cursor.ts';
import { type RunRow, runOf, selectRuns } from './run-rows.ts';
import { createConditions } from './saved-page.ts';

export function createRunViews(pool: Pool): RunViews {
  return {
    async find(accountId, runId) {
      const { rows } = await pool.query<RunRow>(`${selectRuns} WHERE r.account_id = $1 AND r.run_id = $2`, [
        accountId,
        runId,
      ]);
      return rows[0] && runOf(rows[0]);
    },
    list: (accountId, { search_id, kind, state, cursor, limit }) =>
      withCursor(cursor, async () => {
        const where = createConditions([accountId]);
        where.add('r.search_id = ?', search_id);
        where.add('s.kind = ?', kind);
        where.add('r.state = ?', state);
        const place = cursor === undefined ? 0 : where.values.push(...readRowCursor(cursor)) - 1;
        const after =
          place > 0 ? ` AND (r.created_at, r.run_id) < ($${place}::timestamptz, $${place + 1})` : '';
        const { rows } = await pool.query<RunRow & { order_key: string }>(
          `${selectRuns.replace('SELECT', 'SELECT r.created_at::text AS order_key,')}
           WHERE r.account_id = $1${where.toSql()}${after}
           ORDER BY r.created_at DESC, r.run_id DESC LIMIT ${limit + 1}`,
          where.values,
        );
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return { runs: shown.map(runOf), nextCursor: last && writeCursor([last.order_key, last.run_id]) };
      }),
  };
}
