import { onlyRow, type RowOf } from '@mailproof/service-kit';
import type { DiscoveryRunId, DiscoverySearchId } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { DeliveredRun } from '../../domain/discovery/run.ts';
import type { LookalikeResults } from '../../domain/lookalike-search/lookalike-delivery.ts';
import type { KeptSearch, LookalikeSearches } from '../../domain/lookalike-search/lookalike-searches.ts';
import { readQuestion, writeQuestion } from '../../domain/lookalike-search/question.ts';
import { keepReasons } from './company-rows.ts';
import { sql } from './lookalikes.sql.ts';
import { deleteSearch } from './run-store.ts';

export function createLookalikeSearches(pool: Pool): LookalikeSearches {
  return {
    async create({ searchId, accountId, creatorId, name, question, previewMatches, now, key }) {
      const { rowCount } = await sql.insert_lookalike_search(pool, {
        search_id: searchId,
        account_id: accountId,
        name,
        query: JSON.stringify(writeQuestion(question)),
        preview_matches: previewMatches,
        created_by: creatorId,
        now,
        key_hash: key?.hash,
        request_hash: key?.requestHash,
      });
      return rowCount === 1;
    },
    async find(accountId, searchId) {
      const { rows } = await sql.find_lookalike_search(pool, { account_id: accountId, search_id: searchId });
      return rows[0] && keptSearchOf(rows[0]);
    },
    async findByKey(accountId, keyHash) {
      const { rows } = await sql.find_lookalike_search(pool, { account_id: accountId, key_hash: keyHash });
      const [row] = rows;
      return row?.request_hash ? { search: keptSearchOf(row), requestHash: row.request_hash } : undefined;
    },
    async list(accountId, after, rowsMax) {
      const { rows } = await sql.list_lookalike_searches(pool, {
        account_id: accountId,
        created_before: after?.createdAt,
        id_before: after?.searchId,
        rows_max: rowsMax,
      });
      return rows.map(keptSearchOf);
    },
    async rename(accountId, searchId, name, now) {
      const values = { account_id: accountId, search_id: searchId, name, now };
      return (await sql.rename_lookalike_search(pool, values)).rowCount === 1;
    },
    async change(accountId, searchId, { question, previewMatches, now }) {
      const { rowCount } = await sql.change_lookalike_search(pool, {
        account_id: accountId,
        search_id: searchId,
        query: JSON.stringify(writeQuestion(question)),
        preview_matches: previewMatches,
        now,
      });
      if (rowCount === 1) {
        return 'changed';
      }
      return (await this.find(accountId, searchId)) ? 'locked' : 'notFound';
    },
    async notePreview(searchId, previewMatches) {
      await sql.note_preview_matches(pool, { search_id: searchId, preview_matches: previewMatches });
    },
    delete: async (accountId, searchId) =>
      (await deleteSearch(pool, accountId, searchId, 'lookalikes')) ?? 'notFound',
  };
}

function keptSearchOf(row: RowOf<typeof sql.list_lookalike_searches>): KeptSearch {
  return {
    searchId: row.search_id as DiscoverySearchId,
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
    activeRunId: row.active_run_id as DiscoveryRunId | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function createLookalikeResults(): LookalikeResults<PoolClient> {
  return {
    async save(client, run: DeliveredRun, matches, now) {
      const saved = sql.save_lookalikes(client, {
        account_id: run.accountId,
        run_id: run.runId,
        search_id: run.searchId,
        company_nos: matches.map(({ companyNo }) => companyNo),
        strengths: matches.map(({ strength }) => strength),
        reasons: matches.map(({ reasons }) => JSON.stringify(keepReasons(reasons))),
        now,
        list_id: run.listId,
      });
      return (await onlyRow(saved)).charged;
    },
    async countCharged(client, run) {
      const values = { run_id: run.runId, account_id: run.accountId };
      return (await onlyRow(sql.count_charged(client, values))).charged;
    },
  };
}
