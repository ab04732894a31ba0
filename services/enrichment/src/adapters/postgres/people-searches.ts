import { inTransaction, traceParent, writeCursor } from '@mailproof/service-kit';
import {
  type AccountId,
  type CreatorId,
  chargePreviewJob,
  type DiscoveryRunId,
  type DiscoverySearchId,
  type PeopleFilters,
  prices,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { PreviewPorts } from '../../domain/discovery/people-preview.ts';
import type {
  PeopleSearchStore,
  PreviewPayment,
  StoredPeopleSearch,
} from '../../domain/discovery/people-search-store.ts';
import { type PreviewRow, personJoins, previewColumns, previewedPersonOf } from './person-rows.ts';
import { readRowCursor, withCursor } from './saved-page.ts';

interface SearchRow {
  readonly search_id: DiscoverySearchId;
  readonly name: string;
  readonly query: PeopleFilters;
  readonly state: 'preview' | 'locked';
  readonly previewed: Buffer[];
  readonly has_more: boolean | null;
  readonly last_attempt_failed_at: Date | null;
  readonly active_run_id: DiscoveryRunId | null;
  readonly created_by: CreatorId;
  readonly created_at: Date;
  readonly created_text: string;
  readonly updated_at: Date;
  readonly request_hash: Buffer | null;
}

const select = `
  SELECT s.search_id, s.name, s.query, s.state, s.previewed, s.has_more, s.last_attempt_failed_at, s.created_by,
    s.created_at, s.created_at::text AS created_text, s.updated_at, s.request_hash,
    (SELECT r.run_id FROM discovery_run r WHERE r.search_id = s.search_id AND r.state IN ('queued', 'running'))
      AS active_run_id
  FROM discovery_search s WHERE s.account_id = $1 AND s.kind = 'people'`;

const insert = `
  INSERT INTO discovery_search (
    search_id, account_id, kind, name, query, previewed, created_by, idempotency_hash, request_hash)
  VALUES ($1, $2, 'people', $3, $4, ARRAY[$5::bytea], $6, $7, $8)
  ON CONFLICT DO NOTHING`;

/** Serializes requests that change the same search. */
const lockPreviewed = `
  SELECT $3::bytea = ANY(previewed) AS was_previewed FROM discovery_search
  WHERE account_id = $1 AND search_id = $2 AND kind = 'people' AND state = 'preview' FOR UPDATE`;

/** Filters that were already previewed are not added to the list again. */
const change = `
  UPDATE discovery_search SET query = $3, updated_at = now(),
    previewed = CASE WHEN $4::bytea = ANY(previewed) THEN previewed ELSE previewed || $4::bytea END
  WHERE account_id = $1 AND search_id = $2 AND kind = 'people' AND state = 'preview'`;

interface PeopleSearches extends PeopleSearchStore {
  list(
    accountId: AccountId,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ): Promise<{ readonly searches: StoredPeopleSearch[]; readonly nextCursor: string | undefined }>;
  rename(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    name: string,
  ): Promise<StoredPeopleSearch | undefined>;
  delete(accountId: AccountId, searchId: DiscoverySearchId): Promise<'deleted' | 'runActive' | 'gone'>;
}

/** Stores people searches in Postgres. */
export function createPeopleSearches(pool: Pool): PeopleSearches {
  const find = async (
    accountId: AccountId,
    searchId: DiscoverySearchId,
    client: Pool | PoolClient = pool,
  ) => {
    const { rows } = await client.query<SearchRow>(`${select} AND s.search_id = $2`, [accountId, searchId]);
    return rows[0] && searchOf(rows[0]);
  };
  return {
    find: (accountId, searchId) => find(accountId, searchId),
    async findByKey(accountId, keyHash) {
      const { rows } = await pool.query<SearchRow>(`${select} AND s.idempotency_hash = $2`, [
        accountId,
        keyHash,
      ]);
      const [row] = rows;
      return row?.request_hash ? { search: searchOf(row), requestHash: row.request_hash } : undefined;
    },
    create: (search, payment) =>
      inTransaction(pool, async client => {
        const { searchId, accountId, name, filters, filtersHash, createdBy, key } = search;
        const { rowCount } = await client.query(insert, [
          searchId,
          accountId,
          name,
          JSON.stringify(filters),
          filtersHash,
          createdBy,
          key?.hash ?? null,
          key?.requestHash ?? null,
        ]);
        if (rowCount === 0) {
          return undefined;
        }
        await chargeLater(client, payment);
        return find(accountId, searchId, client);
      }),
    change: ({ searchId, accountId, filters, filtersHash }, payment) =>
      inTransaction(pool, async client => {
        const { rows } = await client.query<{ was_previewed: boolean }>(lockPreviewed, [
          accountId,
          searchId,
          filtersHash,
        ]);
        const [locked] = rows;
        if (!locked) {
          return (await find(accountId, searchId, client)) ? 'locked' : 'gone';
        }
        await client.query(change, [accountId, searchId, JSON.stringify(filters), filtersHash]);
        if (!locked.was_previewed) {
          await chargeLater(client, payment);
        }
        const search = await find(accountId, searchId, client);
        return search ? { search, wasPreviewed: locked.was_previewed } : 'gone';
      }),
    async isCharging(holdId) {
      const { rowCount } = await pool.query(
        "SELECT 1 FROM outbox WHERE job_type = $1 AND payload->>'holdId' = $2",
        [chargePreviewJob.name, holdId],
      );
      return rowCount !== 0;
    },
    list: (accountId, { cursor, limit }) =>
      withCursor(cursor, async () => {
        const after = cursor === undefined ? [] : readRowCursor(cursor);
        const { rows } = await pool.query<SearchRow>(
          `${select} ${cursor === undefined ? '' : 'AND (s.created_at, s.search_id) < ($3::timestamptz, $4)'}
           ORDER BY s.created_at DESC, s.search_id DESC LIMIT $2`,
          [accountId, limit + 1, ...after],
        );
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          searches: shown.map(searchOf),
          nextCursor: last && writeCursor([last.created_text, last.search_id]),
        };
      }),
    async rename(accountId, searchId, name) {
      await pool.query(
        `UPDATE discovery_search SET name = $3, updated_at = now()
         WHERE account_id = $1 AND search_id = $2 AND kind = 'people'`,
        [accountId, searchId, name],
      );
      return find(accountId, searchId);
    },
    delete: (accountId, searchId) =>
      inTransaction(pool, async client => {
        // A run starts by updating this row, so that none can start between the check and the deletion.
        const { rowCount } = await client.query(
          `SELECT 1 FROM discovery_search WHERE account_id = $1 AND search_id = $2 AND kind = 'people' FOR UPDATE`,
          [accountId, searchId],
        );
        if (rowCount === 0) {
          return 'gone';
        }
        if ((await find(accountId, searchId, client))?.activeRunId) {
          return 'runActive';
        }
        await client.query('DELETE FROM discovery_search WHERE search_id = $1', [searchId]);
        return 'deleted';
      }),
  };
}

/** The charge of a preview and its record commit together. */
async function chargeLater(client: PoolClient, payment: PreviewPayment): Promise<void> {
  if (payment.kind === 'credits') {
    await client.query(
      `INSERT INTO outbox (job_type, payload, trace_parent)
       VALUES ($1, jsonb_build_object('holdId', $2::text, 'amount', $3::int), $4)`,
      [chargePreviewJob.name, payment.holdId, prices.peoplePreview, traceParent()],
    );
  }
}

function searchOf(row: SearchRow): StoredPeopleSearch {
  return {
    searchId: row.search_id,
    name: row.name,
    filters: row.query,
    state: row.state,
    previewed: row.previewed,
    hasMore: row.has_more,
    lastAttemptFailedAt: row.last_attempt_failed_at,
    activeRunId: row.active_run_id,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Reads previews of people; omits people removed from the store since the index answered. */
export function createReadPreviews(pool: Pool): PreviewPorts['readPreviews'] {
  return async (accountId, personNos) => {
    if (personNos.length === 0) {
      return [];
    }
    const { rows } = await pool.query<PreviewRow & { is_saved: boolean }>(
      `SELECT ${previewColumns}, s.person_no IS NOT NULL AS is_saved
       FROM person p ${personJoins}
       LEFT JOIN saved_person s ON s.account_id = $1 AND s.person_no = p.person_no
       WHERE p.person_no = ANY($2::int[]) ORDER BY array_position($2::int[], p.person_no)`,
      [accountId, personNos],
    );
    return rows.map(previewedPersonOf);
  };
}
