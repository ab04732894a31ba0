import type { PoolClient } from 'pg';
import type { DeliveredRun } from '../../domain/discovery/run-delivery.ts';
import type { LookalikeResults } from '../../domain/lookalike-search/lookalike-delivery.ts';
import { keepReasons } from './kept-reasons.ts';

/**
 * Payments are written in the order of company_no: two runs of an account that find the same companies in different
 * orders would wait for each other. Rows of the store are locked first, so that nothing is paid for that is gone by
 * the end of the transaction. A search has one run at a time, so the ranks go on from the last one.
 */
const save = `
  WITH found AS (
    SELECT * FROM unnest($4::integer[], $5::double precision[], $6::jsonb[])
      WITH ORDINALITY AS f (company_no, strength, reasons, position)
  ), there AS MATERIALIZED (
    SELECT company_no FROM company WHERE company_no = ANY ($4::integer[]) ORDER BY company_no FOR KEY SHARE
  ), paid AS (
    INSERT INTO paid_company (account_id, company_no, run_id, paid_at)
    SELECT $1, company_no, $2, $7 FROM there
    WHERE NOT EXISTS (SELECT FROM lookalike_result r WHERE r.search_id = $3 AND r.company_no = there.company_no)
    ORDER BY company_no
    ON CONFLICT (account_id, company_no) DO NOTHING
    RETURNING company_no
  ), delivered AS (
    INSERT INTO lookalike_result (search_id, company_no, run_id, rank, strength, reasons)
    SELECT $3, company_no, $2, row_number() OVER (ORDER BY found.position)
      + (SELECT coalesce(max(rank), 0) FROM lookalike_result WHERE search_id = $3), strength, reasons
    FROM found JOIN there USING (company_no)
    ON CONFLICT (search_id, company_no) DO NOTHING
    RETURNING company_no
  ), listed AS (
    INSERT INTO saved_list_entry (list_id, company_no)
    SELECT list_id, company_no FROM delivered
    JOIN saved_list ON list_id = $8 AND account_id = $1 AND kind = 'companies'
    ON CONFLICT (list_id, company_no) DO NOTHING
  )
  SELECT count(*)::integer AS charged FROM paid`;

export function createLookalikeResults(): LookalikeResults<PoolClient> {
  return {
    async save(client, run: DeliveredRun, matches, now) {
      const { rows } = await client.query<{ charged: number }>(save, [
        run.accountId,
        run.runId,
        run.searchId,
        matches.map(({ companyNo }) => companyNo),
        matches.map(({ strength }) => strength),
        matches.map(({ reasons }) => JSON.stringify(keepReasons(reasons))),
        now,
        run.listId,
      ]);
      return rows[0]?.charged ?? 0;
    },
    async countCharged(client, run) {
      const { rows } = await client.query<{ charged: number }>(
        'SELECT count(*)::integer AS charged FROM paid_company WHERE run_id = $1 AND account_id = $2',
        [run.runId, run.accountId],
      );
      return rows[0]?.charged ?? 0;
    },
  };
}
