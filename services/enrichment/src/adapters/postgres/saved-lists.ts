import { inTransaction, onlyRow, type RowOf, readCursor, writeCursor } from '@mailproof/service-kit';
import {
  type AccountId,
  type CompanyId,
  type CompanySize,
  type CompanyType,
  type CreatorId,
  type DiscoveryRunId,
  limits,
  newId,
  type RecordSource,
  type Revenue,
  type SavedCompany,
  type SavedList,
  type SavedListId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { ReadListMembers } from '../../domain/people-search/saved-lists.ts';
import type { SavedFilters, SavedLists, SavedPageRequest } from '../../domain/saved/saved-records.ts';
import { numberOf } from './company-rows.ts';
import { sql } from './saved.sql.ts';
import {
  afterCondition,
  countRows,
  createConditions,
  employeesOf,
  type PageOrder,
  partOf,
  readRowCursor,
  sourceObject,
  unknownLast,
  withCursor,
} from './saved-page.ts';

type ListRow = RowOf<typeof sql.find_list>;

const listOrders = {
  name: { key: 'lower(l.name)', type: 'text', direction: 'ASC', compare: '>' },
  created_at: { key: 'l.created_at', type: 'timestamptz', direction: 'DESC', compare: '<' },
} as const;

const selectLists = (orderKey: string) => `
  SELECT l.list_id, l.kind, l.name, l.tags, l.created_by, l.created_at, l.updated_at, (${orderKey})::text AS order_key,
    (SELECT count(*)::int FROM saved_list_entry e WHERE e.list_id = l.list_id) AS entries,
    (SELECT count(*)::int FROM saved_list_domain d WHERE d.list_id = l.list_id) AS domains
  FROM saved_list l WHERE l.account_id = $1`;

/** Stores saved lists in Postgres. */
export function createSavedLists(pool: Pool): SavedLists {
  const find = async (accountId: AccountId, listId: SavedListId) => {
    const { rows } = await sql.find_list(pool, { account_id: accountId, list_id: listId });
    return rows[0] && listOf(rows[0]);
  };
  return {
    find,
    list: (accountId, { kind, tag, text, sort, cursor, limit }) =>
      withCursor(cursor, async () => {
        const { key, type, direction, compare } = listOrders[sort];
        const where = createConditions([accountId]);
        where.add('l.kind = ?', kind);
        where.add('? = ANY(l.tags)', tag);
        where.add('l.name ILIKE ?', partOf(text));
        const parameterNo = cursor === undefined ? 0 : where.values.push(...readRowCursor(cursor)) - 1;
        const after =
          parameterNo > 0
            ? ` AND (${key}, l.list_id) ${compare} ($${parameterNo}::${type}, $${parameterNo + 1})`
            : '';
        const { rows } = await pool.query<ListRow & { order_key: string }>(
          `${selectLists(key)}${where.toSql()}${after}
           ORDER BY ${key} ${direction}, l.list_id ${direction} LIMIT ${limit + 1}`,
          where.values,
        );
        const shown = rows.slice(0, limit);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return { lists: shown.map(listOf), nextCursor: last && writeCursor([last.order_key, last.list_id]) };
      }),
    create: (accountId, creatorId, { kind, name, tags }) =>
      inTransaction(pool, async client => {
        await sql.lock_lists(client, { account_id: accountId });
        const { lists } = await onlyRow(sql.count_lists(client, { account_id: accountId }));
        if (lists >= limits.savedListsMax) {
          return 'tooMany' as const;
        }
        const { rows } = await sql.insert_list(client, {
          list_id: newId('savedList'),
          account_id: accountId,
          kind,
          name,
          tags,
          created_by: creatorId,
        });
        return rows[0] ? listOf(rows[0]) : ('nameTaken' as const);
      }),
    async change(accountId, listId, { name, tags }) {
      try {
        await sql.change_list(pool, { account_id: accountId, list_id: listId, name, tags });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === '23505') {
          return 'nameTaken';
        }
        throw error;
      }
      return (await find(accountId, listId)) ?? 'gone';
    },
    async delete(accountId, listId) {
      const { rowCount } = await sql.delete_list(pool, { account_id: accountId, list_id: listId });
      return rowCount === 1;
    },
    async addEntries(accountId, listId, ids) {
      const { rows } = await sql.add_entries(pool, { account_id: accountId, list_id: listId, ids });
      return rows[0]?.entries;
    },
    async removeEntries(accountId, listId, ids) {
      const { rows } = await sql.remove_entries(pool, { account_id: accountId, list_id: listId, ids });
      return rows[0]?.entries;
    },
    async addDomains(accountId, listId, domains, importId) {
      try {
        return await inTransaction(pool, async client => {
          const { rows } = await sql.lock_list(client, { account_id: accountId, list_id: listId });
          if (rows[0]?.kind !== 'companies') {
            return rows[0] && 'ofPeople';
          }
          const values = { list_id: listId, domains: [...domains] };
          const { rowCount } = await sql.add_domains(client, { ...values, import_id: importId });
          const held = await onlyRow(sql.count_domains(client, { list_id: listId }));
          if (held.domains > limits.listDomainsMax) {
            throw new ListFull();
          }
          return importId === undefined
            ? (rowCount ?? 0)
            : (await onlyRow(sql.count_imported_domains(client, { ...values, import_id: importId }))).domains;
        });
      } catch (error) {
        if (error instanceof ListFull) {
          return 'full';
        }
        throw error;
      }
    },
    async removeDomains(accountId, listId, domains) {
      const values = { account_id: accountId, list_id: listId, domains: [...domains] };
      return (await sql.remove_domains(pool, values)).rowCount ?? 0;
    },
    listDomains: (listId, { text, cursor, limit }) =>
      withCursor(cursor, async () => {
        const after = cursor === undefined ? undefined : readCursor(lastDomain, cursor);
        const matching = { list_id: listId, text: partOf(text) };
        const { rows } = await sql.list_domains(pool, { ...matching, after, rows_max: limit + 1 });
        const shown = rows.slice(0, limit).map(({ domain }) => domain);
        const last = rows.length > limit ? shown.at(-1) : undefined;
        return {
          domains: shown,
          total:
            cursor === undefined ? (await onlyRow(sql.count_domains(pool, matching))).domains : undefined,
          nextCursor: last && writeCursor(last),
        };
      }),
    selectCompanies: (accountId, filters, notOnList) =>
      selectPaidCompanies(pool, accountId, filters, notOnList),
    listCompanies: (accountId, request) => listPaidCompanies(pool, accountId, request),
  };
}

/** Rolls back an addition that a list has no room for. */
class ListFull extends Error {}

/** The last domain of the previous page. */
const lastDomain = z
  .string()
  .max(255)
  .regex(/^[!-~]+$/);

/** Reads who is on the saved lists of an account. */
export function createReadListMembers(pool: Pool): ReadListMembers {
  return async (accountId, listIds) => {
    const { rows } = await sql.read_list_members(pool, { account_id: accountId, list_ids: [...listIds] });
    return new Map(
      rows.map(({ list_id, people, companies, domains }) => [
        list_id as SavedListId,
        { people: Int32Array.from(people), companies: Int32Array.from(companies), domains },
      ]),
    );
  };
}

/** Reads which companies are on the saved lists of an account, or employ the people on them. */
export function createReadListCompanies(pool: Pool): ReadListMembers {
  return async (accountId, listIds) => {
    const { rows } = await sql.read_list_companies(pool, { account_id: accountId, list_ids: [...listIds] });
    return new Map(
      rows.map(({ list_id, companies, domains }) => [
        list_id as SavedListId,
        { people: new Int32Array(), companies: Int32Array.from(companies), domains },
      ]),
    );
  };
}

function listOf(row: ListRow): SavedList {
  return {
    list_id: row.list_id as SavedListId,
    kind: row.kind as SavedList['kind'],
    name: row.name,
    tags: row.tags,
    entries: row.entries,
    domains: row.domains,
    created_by: row.created_by as CreatorId,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export type SavedCompanyRow = Omit<
  RowOf<typeof sql.read_paid_companies>,
  'key' | 'field_sources' | 'strength' | 'reasons'
>;

/** The columns of a `SavedCompanyRow`, as in saved.sql. */
const selectCompanies = `
  SELECT c.company_no, c.company_id, c.name, c.domain, c.website, c.description, c.industry, c.keywords, c.categories,
    c.company_type, c.city, c.region, c.country, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue,
    c.funding_usd, c.profile_url, c.is_synthetic, ${sourceObject} AS source, d.run_id, d.paid_at, c.updated_at`;

const byName: PageOrder = { key: 'lower(c.name)', type: 'text', direction: 'ASC' };

const companyOrders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 'd.paid_at', type: 'timestamptz', direction: 'DESC' },
  name: byName,
  company: byName,
  // A company has no job title.
  job_title: byName,
  industry: { key: unknownLast('c.industry'), type: 'text', direction: 'ASC' },
  company_size: {
    key: employeesOf('c.company_size', 'c.employee_count'),
    type: 'integer',
    direction: 'DESC',
  },
  updated_at: { key: 'c.updated_at', type: 'timestamptz', direction: 'DESC' },
};

const isOnList =
  'EXISTS (SELECT FROM saved_list_entry e WHERE e.list_id = ? AND e.company_no = d.company_no)';

function paidConditions(accountId: AccountId, filters: SavedFilters) {
  const where = createConditions([accountId]);
  where.add('(c.name ILIKE ? OR c.domain ILIKE ? OR c.description ILIKE ?)', partOf(filters.text));
  where.add('(c.name ILIKE ? OR c.domain ILIKE ?)', partOf(filters.company));
  where.add('c.country = ?', filters.country);
  where.add('d.run_id = ?', filters.run_id);
  where.add(isOnList, filters.list_id);
  return where;
}

function fromPaid(where: ReturnType<typeof paidConditions>): string {
  return `
    FROM paid_company d JOIN company c ON c.company_no = d.company_no JOIN source o ON o.source_id = c.source_id
    WHERE d.account_id = $1${where.toSql()}`;
}

/** Selects the ids of the first paid companies that match. */
async function selectPaidCompanies(
  pool: Pool,
  accountId: AccountId,
  filters: SavedFilters,
  notOnList: SavedListId | undefined,
) {
  const where = paidConditions(accountId, filters);
  where.add(`NOT ${isOnList}`, notOnList);
  const { rows } = await pool.query<{ company_id: CompanyId }>(
    `SELECT c.company_id ${fromPaid(where)} ORDER BY d.company_no LIMIT ${limits.savedMatchingMax + 1}`,
    where.values,
  );
  const ids = rows.slice(0, limits.savedMatchingMax).map(({ company_id }) => company_id);
  return { ids, more: rows.length > ids.length };
}

/** Lists the companies that the account has paid for. */
function listPaidCompanies(
  pool: Pool,
  accountId: AccountId,
  request: SavedPageRequest,
): Promise<{ companies: SavedCompany[]; total: number | undefined; nextCursor: string | undefined }> {
  return withCursor(request.cursor, async () => {
    const order = companyOrders[request.sort];
    const where = paidConditions(accountId, request);
    const from = fromPaid(where);
    const total = request.cursor === undefined ? await countRows(pool, from, where.values) : undefined;
    const after =
      request.cursor === undefined
        ? ''
        : afterCondition(order, 'c.company_no', where.values.push(...readRowCursor(request.cursor)) - 1);
    const { rows } = await pool.query<SavedCompanyRow & { order_key: string }>(
      `${selectCompanies}, (${order.key})::text AS order_key ${from}${after}
       ORDER BY ${order.key} ${order.direction}, c.company_no ${order.direction} LIMIT ${request.limit + 1}`,
      where.values,
    );
    const shown = rows.slice(0, request.limit);
    const last = rows.length > request.limit ? shown.at(-1) : undefined;
    return {
      companies: shown.map(savedCompanyOf),
      total,
      nextCursor: last && writeCursor([last.order_key, last.company_no]),
    };
  });
}

export function savedCompanyOf(row: SavedCompanyRow): SavedCompany {
  return {
    company_id: row.company_id as CompanyId,
    name: row.name,
    domain: row.domain,
    website: row.website,
    description: row.description,
    industry: row.industry,
    keywords: row.keywords,
    categories: row.categories,
    company_type: row.company_type as CompanyType | null,
    location: { city: row.city, region: row.region, country: row.country },
    employee_count: row.employee_count,
    company_size: row.company_size as CompanySize | null,
    annual_revenue_usd: numberOf(row.annual_revenue_usd),
    revenue: row.revenue as Revenue | null,
    funding_usd: numberOf(row.funding_usd),
    profile_url: row.profile_url,
    is_synthetic: row.is_synthetic,
    source: row.source as RecordSource,
    run_id: row.run_id as DiscoveryRunId,
    paid_at: row.paid_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
