import type { Pool } from 'pg';
import type {
  DoNotProbeOrigin,
  DoNotProbeScope,
  DoNotProbeStore,
} from '../../domain/standing/do-not-probe.ts';
import { sql } from './standing.sql.ts';

/** The do-not-probe list in Postgres. */
export function createDoNotProbeStore(pool: Pool): DoNotProbeStore {
  return {
    async add({ scope, name }, origin, note) {
      const added = await sql.add_do_not_probe(pool, { scope, name, origin, note });
      return added.rowCount === 1;
    },

    async remove({ scope, name }) {
      const removed = await sql.remove_do_not_probe(pool, { scope, name });
      return removed.rowCount === 1;
    },

    async list() {
      const { rows } = await sql.do_not_probe_list(pool, {});
      // The table's constraints allow no other values.
      return rows.map(({ scope, name, origin, note, created_at }) => ({
        scope: scope as DoNotProbeScope,
        name,
        origin: origin as DoNotProbeOrigin,
        note: note ?? undefined,
        createdAt: created_at,
      }));
    },
  };
}
