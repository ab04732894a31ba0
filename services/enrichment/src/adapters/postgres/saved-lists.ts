import { inTransaction, writeCursor } from '@mailproof/service-kit';
import {
  type AccountId,
  limits,
  newId,
  type SavedCompany,
  type SavedList,
  type SavedListId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavedLists, SavedPageRequest } from '../../domain/saved/saved-records.ts';
import { sourceObject } from './person-rows.ts';
import {
  afterCondition,
  createConditions,
  type PageOrder,
  partOf,
  readRowCursor,
  withCursor,
} from './saved-page.ts';

interface ListRow extends Omit<SavedList, 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly order_key: string;
}

const listOrders = {
  name: { key: 'lower(l.name)', type: 'text', direction: 'ASC', compare: '>' },
  created_at: { key: 'l.created_at', type: 'timestamptz', direction: 'DESC', compare: '<' },
} as const;

const selectLists = (orderKey: string) => `
  SELECT l.list_id, l.kind, l.name, l.tags, l.created_by, l.created_at, l.updated_at, (${orderKey})::text AS order_key,
    (SELECT count(*)::int FROM saved_list_entry e WHERE e.list_id = l.list_id) AS entries
  FROM saved_list l WHERE l.account_id = $1`;

const count = 'SELECT count(*)::int AS lists FROM saved_list WHERE account_id = $1';

/** Adds only records that the account has saved or paid for, and that the list does not contain yet. */
const addEntries = `
  WITH chosen AS (SELECT list_id, kind, account_id FROM saved_list WHERE account_id = $1 AND list_id = $2),
  added AS (
    INSERT INTO saved_list_entry (list_id, person_no, company_no)
    SELECT list_id, person_no, NULL::int FROM chosen JOIN saved_person USING (account_id) JOIN person USING (person_no)
    WHERE kind = 'people' AND person_id = ANY($3::text[])
    UNION ALL
    SELECT list_id, NULL, company_no FROM chosen JOIN paid_company USING (account_id) JOIN company USING (company_no)
    WHERE kind = 'companies' AND company_id = ANY($3::text[])
    ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM added) AS entries FROM chosen`;

const removeEntries = `
  WITH chosen AS (SELECT list_id FROM saved_list WHERE account_id = $1 AND list_id = $2),
  removed AS (
    DELETE FROM saved_list_entry e USING chosen
    WHERE e.list_id = chosen.list_id AND (
      e.person_no IN (SELECT person_no FROM person WHERE person_id = ANY($3::text[]))
      OR e.company_no IN (SELECT company_no FROM company WHERE company_id = ANY($3::text[])))
    RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM removed) AS entries FROM chosen`;

/** Stores saved lists in Postgres. */
export function createSavedLists(pool: Pool): SavedLists {
  const find = async (accountId: AccountId, listId: SavedListId) => {
    const { rows } = await pool.query<ListRow>(`${selectLists('l.name')} AND l.list_id = $2`, [
      accountId,
      listId,
    ]);
    return rows[0] && listOf(rows[0]);
  };
  const changeEntries = async (statement: string, values: readonly unknown[]) => {
    const { rows } = await pool.query<{ entries: number }>(statement, [...values]);
    return rows[0]?.entries;
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
        const { rows } = await pool.query<ListRow>(
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
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 34))', [accountId]);
        const { rows } = await client.query<{ lists: number }>(count, [accountId]);
        if ((rows[0]?.lists ?? 0) >= limits.savedListsMax) {
          return 'tooMany' as const;
        }
        const listId = newId('savedList');
        const { rows: made } = await client.query<ListRow>(
          `INSERT INTO saved_list (list_id, account_id, kind, name, tags, created_by) VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT DO NOTHING
           RETURNING list_id, kind, name, tags, created_by, created_at, updated_at, 0 AS entries`,
          [listId, accountId, kind, name, tags, creatorId],
        );
        return made[0] ? listOf(made[0]) : ('nameTaken' as const);
      }),
    async change(accountId, listId, { name, tags }) {
      try {
        await pool.query(
          `UPDATE saved_list SET name = coalesce($3, name), tags = coalesce($4, tags), updated_at = now()
           WHERE account_id = $1 AND list_id = $2`,
          [accountId, listId, name ?? null, tags ?? null],
        );
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === '23505') {
          return 'nameTaken';
        }
        throw error;
      }
      return (await find(accountId, listId)) ?? 'gone';
    },
    async delete(accountId, listId) {
      const { rowCount } = await pool.query('DELETE FROM saved_list WHERE account_id = $1 AND list_id = $2', [
        accountId,
        listId,
      ]);
      return rowCount === 1;
    },
    addEntries: (accountId, listId, ids) => changeEntries(addEntries, [accountId, listId, ids]),
    removeEntries: (accountId, listId, ids) => changeEntries(removeEntries, [accountId, listId, ids]),
    listCompanies: (accountId, listId, request) => listSavedCompanies(pool, accountId, listId, request),
  };
}

function listOf({ order_key: _key, created_at, updated_at, ...row }: ListRow): SavedList {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

export interface SavedCompanyRow
  extends Omit<SavedCompany, 'location' | 'paid_at' | 'annual_revenue_usd' | 'funding_usd'> {
  readonly company_no: number;
  readonly city: string | null;
  readonly region: string | null;
  readonly country: string | null;
  readonly annual_revenue_usd: string | null;
  readonly funding_usd: string | null;
  readonly paid_at: Date;
}

/** Columns of a `SavedCompanyRow`, from company `c`, payment `d` and source `o`. */
export const savedCompanyColumns = `
  c.company_no, c.company_id, c.name, c.domain, c.website, c.description, c.industry, c.keywords, c.categories,
  c.company_type, c.city, c.region, c.country, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue,
  c.funding_usd, c.profile_url, c.is_synthetic, ${sourceObject('o')} AS source, d.run_id, d.paid_at`;

const byName: PageOrder = { key: 'lower(c.name)', type: 'text', direction: 'ASC' };

const companyOrders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 'd.paid_at', type: 'timestamptz', direction: 'DESC' },
  name: byName,
  company: byName,
};

/** Lists the companies of a list that the account has paid for. */
function listSavedCompanies(
  pool: Pool,
  accountId: AccountId,
  listId: SavedListId,
  request: SavedPageRequest,
): Promise<{ companies: SavedCompany[]; nextCursor: string | undefined }> {
  return withCursor(request.cursor, async () => {
    const order = companyOrders[request.sort];
    const where = createConditions([accountId, listId]);
    where.add('(c.name ILIKE ? OR c.domain ILIKE ? OR c.description ILIKE ?)', partOf(request.text));
    where.add('(c.name ILIKE ? OR c.domain ILIKE ?)', partOf(request.company));
    where.add('c.country = ?', request.country);
    const after =
      request.cursor === undefined
        ? ''
        : afterCondition(order, 'c.company_no', where.values.push(...readRowCursor(request.cursor)) - 1);
    const { rows } = await pool.query<SavedCompanyRow & { order_key: string }>(
      `SELECT ${savedCompanyColumns}, (${order.key})::text AS order_key
       FROM saved_list_entry e JOIN paid_company d ON d.company_no = e.company_no AND d.account_id = $1
       JOIN company c ON c.company_no = e.company_no JOIN source o ON o.source_id = c.source_id
       WHERE e.list_id = $2${where.toSql()}${after}
       ORDER BY ${order.key} ${order.direction}, c.company_no ${order.direction} LIMIT ${request.limit + 1}`,
      where.values,
    );
    const shown = rows.slice(0, request.limit);
    const last = rows.length > request.limit ? shown.at(-1) : undefined;
    return {
      companies: shown.map(({ order_key: _key, ...row }) => savedCompanyOf(row)),
      nextCursor: last && writeCursor([last.order_key, last.company_no]),
    };
  });
}

export function savedCompanyOf({
  company_no: _no,
  city,
  region,
  country,
  ...row
}: SavedCompanyRow): SavedCompany {
  return {
    ...row,
    location: { city, region, country },
    annual_revenue_usd: row.annual_revenue_usd === null ? null : Number(row.annual_revenue_usd),
    funding_usd: row.funding_usd === null ? null : Number(row.funding_usd),
    paid_at: row.paid_at.toISOString(),
  };
}
