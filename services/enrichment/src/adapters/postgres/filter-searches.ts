import {
  inTransaction,
  onlyRow,
  type RowOf,
  tellWritten,
  traceParent,
  writeCursor,
} from '@mailproof/service-kit';
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
import type {
  FilteredKind,
  FilterSearchStore,
  PreviewPayment,
  StoredFilterSearch,
} from '../../domain/discovery/filter-search-store.ts';
import { sql } from './discovery.sql.ts';
import { deleteSearch } from './run-store.ts';
import { readRowCursor, withCursor } from './saved-page.ts';

interface FilterSearches extends FilterSearchStore {
  list(
    accountId: AccountId,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ): Promise<{ readonly searches: StoredFilterSearch[]; readonly nextCursor: string | undefined }>;
  rename(
    accountId: AccountId,
    searchId: DiscoverySearchId,
    name: string,
  ): Promise<StoredFilterSearch | undefined>;
  delete(accountId: AccountId, searchId: DiscoverySearchId): Promise<'deleted' | 'runActive' | 'gone'>;
}

/** Stores the searches of one kind in Postgres. */
export function createFilterSearches(pool: Pool, kind: FilteredKind): FilterSearches {
  const find = async (
    accountId: AccountId,
    searchId: DiscoverySearchId,
    client: Pool | PoolClient = pool,
  ) => {
    const { rows } = await sql.find_filter_search(client, {
      account_id: accountId,
      kind,
      search_id: searchId,
    });
    return rows[0] && searchOf(rows[0]);
  };
  return {
    find: (accountId, searchId) => find(accountId, searchId),
    async findByKey(accountId, keyHash) {
      const { rows } = await sql.find_filter_search(pool, { account_id: accountId, kind, key_hash: keyHash });
      const [row] = rows;
      return row?.request_hash ? { search: searchOf(row), requestHash: row.request_hash } : undefined;
    },
    create: (search, payment) =>
      inTransaction(pool, async client => {
        const { searchId, accountId, name, filters, filtersHash, createdBy, key } = search;
        const { rowCount } = await sql.insert_filter_search(client, {
          search_id: searchId,
          account_id: accountId,
          kind,
          name,
          query: JSON.stringify(filters),
          filters_hash: filtersHash,
          created_by: createdBy,
          key_hash: key?.hash,
          request_hash: key?.requestHash,
        });
        if (rowCount === 0) {
          return undefined;
        }
        await chargeLater(client, payment);
        return find(accountId, searchId, client);
      }),
    change: ({ searchId, accountId, filters, filtersHash }, payment) =>
      inTransaction(pool, async client => {
        const values = { account_id: accountId, kind, search_id: searchId, filters_hash: filtersHash };
        const { rows } = await sql.lock_previewed(client, values);
        const [locked] = rows;
        if (!locked) {
          return (await find(accountId, searchId, client)) ? 'locked' : 'gone';
        }
        await sql.change_filter_search(client, { ...values, query: JSON.stringify(filters) });
        if (!locked.was_previewed) {
          await chargeLater(client, payment);
        }
        const search = await find(accountId, searchId, client);
        return search ? { search, wasPreviewed: locked.was_previewed } : 'gone';
      }),
    async hasPreviewed(accountId, filtersHash) {
      const values = { account_id: accountId, kind, filters_hash: filtersHash };
      return (await onlyRow(sql.has_previewed(pool, values))).is_previewed;
    },
    async isCharging(holdId) {
      const values = { job_type: chargePreviewJob.name, hold_id: holdId };
      return (await sql.find_preview_charge(pool, values)).rowCount !== 0;
    },
    list: (accountId, { cursor, limit }) =>
      withCursor(cursor, async () => {
        const [createdBefore, idBefore] = cursor === undefined ? [] : readRowCursor(cursor);
        const { rows } = await sql.list_filter_searches(pool, {
          account_id: accountId,
          kind,
          created_before: createdBefore,
          id_before: idBefore,
          rows_max: limit + 1,
        });
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          searches: shown.map(searchOf),
          nextCursor: last && writeCursor([last.order_key, last.search_id]),
        };
      }),
    async rename(accountId, searchId, name) {
      await sql.rename_filter_search(pool, { account_id: accountId, kind, search_id: searchId, name });
      return find(accountId, searchId);
    },
    delete: async (accountId, searchId) => (await deleteSearch(pool, accountId, searchId, kind)) ?? 'gone',
  };
}

/** The charge of a preview and its record commit together. */
async function chargeLater(client: PoolClient, payment: PreviewPayment): Promise<void> {
  if (payment.kind === 'credits') {
    await sql.charge_preview(client, {
      job_type: chargePreviewJob.name,
      hold_id: payment.holdId,
      amount: prices.peoplePreview,
      trace_parent: traceParent(),
    });
    tellWritten(client, 'outbox');
  }
}

function searchOf(row: Omit<RowOf<typeof sql.find_filter_search>, 'request_hash'>): StoredFilterSearch {
  return {
    searchId: row.search_id as DiscoverySearchId,
    name: row.name,
    filters: row.query as PeopleFilters,
    state: row.state as StoredFilterSearch['state'],
    previewed: row.previewed,
    hasMore: row.has_more,
    lastAttemptFailedAt: row.last_attempt_failed_at,
    activeRunId: row.active_run_id as DiscoveryRunId | null,
    createdBy: row.created_by as CreatorId,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
