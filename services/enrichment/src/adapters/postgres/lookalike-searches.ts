import { inTransaction } from '@mailproof/service-kit';
import type { DiscoveryRunId, DiscoverySearchId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { DeliveredRun } from '../../domain/discovery/run.ts';
import type { LookalikeResults } from '../../domain/lookalike-search/lookalike-delivery.ts';
import type { KeptSearch, LookalikeSearches } from '../../domain/lookalike-search/lookalike-searches.ts';
import { readQuestion, writeQuestion } from '../../domain/lookalike-search/question.ts';
import { keepReasons } from './company-rows.ts';

interface SearchRow {
  readonly search_id: DiscoverySearchId;
  readonly name: string;
  readonly query: unknown;
  readonly state: 'preview' | 'locked';
  readonly has_more: boolean | null;
  readonly preview_matches: number | null;
  readonly last_attempt_failed_at: Date | null;
  readonly active_run_id: DiscoveryRunId | null;
  readonly has_ended_run: boolean;
  readonly delivered: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Ranks increase by one, so the last one is the number delivered, without counting. */
const searches = `
  SELECT s.search_id, s.name, s.query, s.state, s.has_more, s.preview_matches, s.last_attempt_failed_at, s.created_at,
    s.updated_at,
    (SELECT run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
      AS active_run_id,
    EXISTS (SELECT FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('succeeded', 'cancelled'))
      AS has_ended_run,
    coalesce((SELECT max(rank) FROM lookalike_result r WHERE r.search_id = s.search_id), 0) AS delivered
  FROM discovery_search s
  WHERE s.account_id = $1 AND s.kind = 'lookalikes'`;

const create = `
  INSERT INTO discovery_search (search_id, account_id, kind, name, query, preview_matches, created_by, created_at,
    updated_at)
  VALUES ($1, $2, 'lookalikes', $3, $4, $5, $6, $7, $7)`;

const change = `
  UPDATE discovery_search SET query = $3, preview_matches = $4, updated_at = $5
  WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes' AND state = 'preview'`;

const notePreview = `
  UPDATE discovery_search SET preview_matches = $2
  WHERE search_id = $1 AND state = 'preview' AND preview_matches IS DISTINCT FROM $2`;

export function createLookalikeSearches(pool: Pool): LookalikeSearches {
  return {
    async create({ searchId, accountId, creatorId, name, question, previewMatches, now }) {
      const query = JSON.stringify(writeQuestion(question));
      await pool.query(create, [searchId, accountId, name, query, previewMatches, creatorId, now]);
    },
    async find(accountId, searchId) {
      const { rows } = await pool.query<SearchRow>(`${searches} AND s.search_id = $2`, [accountId, searchId]);
      return rows[0] && keptSearchOf(rows[0]);
    },
    async list(accountId, after, rowsMax) {
      const { rows } = await pool.query<SearchRow>(
        `${searches} AND ($2::timestamptz IS NULL OR (s.created_at, s.search_id) < ($2, $3))
         ORDER BY s.created_at DESC, s.search_id DESC LIMIT $4`,
        [accountId, after?.createdAt ?? null, after?.searchId ?? null, rowsMax],
      );
      return rows.map(keptSearchOf);
    },
    async rename(accountId, searchId, name, now) {
      const { rowCount } = await pool.query(
        `UPDATE discovery_search SET name = $3, updated_at = $4
         WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes'`,
        [accountId, searchId, name, now],
      );
      return rowCount === 1;
    },
    async change(accountId, searchId, { question, previewMatches, now }) {
      const query = JSON.stringify(writeQuestion(question));
      const { rowCount } = await pool.query(change, [accountId, searchId, query, previewMatches, now]);
      if (rowCount === 1) {
        return 'changed';
      }
      return (await this.find(accountId, searchId)) ? 'locked' : 'notFound';
    },
    async notePreview(searchId, previewMatches) {
      await pool.query(notePreview, [searchId, previewMatches]);
    },
    delete: (accountId, searchId) =>
      inTransaction(pool, async client => {
        // A new run locks the search first, so none can start between the check and the deletion.
        const { rowCount } = await client.query(
          `SELECT FROM discovery_search WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes' FOR UPDATE`,
          [accountId, searchId],
        );
        if (rowCount === 0) {
          return 'notFound';
        }
        const active = await client.query(
          `SELECT FROM discovery_run WHERE search_id = $1 AND state IN ('queued', 'running')`,
          [searchId],
        );
        if (active.rowCount !== 0) {
          return 'runActive';
        }
        await client.query('DELETE FROM discovery_search WHERE search_id = $1', [searchId]);
        return 'deleted';
      }),
  };
}

function keptSearchOf(row: SearchRow): KeptSearch {
  return {
    searchId: row.search_id,
    name: row.name,
    question: readQuestion(row.query),
    isLocked: row.state === 'locked',
    facts: {
      isFetching: row.active_run_id !== null,
      delivered: row.delivered,
      hasEndedRun: row.has_ended_run,
      hasMore: row.has_more,
      previewMatches: row.preview_matches,
      lastAttemptFailedAt: row.last_attempt_failed_at,
    },
    activeRunId: row.active_run_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/**
 * Payments are written in the order of company_no: otherwise two runs of an account that find the same companies in
 * different orders could deadlock. Store rows are locked first, so that no company is paid for that is removed before
 * the transaction ends. A search has one run at a time, so ranks continue from the last one.
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
