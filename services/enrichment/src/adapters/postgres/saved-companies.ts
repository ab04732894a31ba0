import { writeCursor } from '@mailproof/service-kit';
import type { AccountId, SavedCompany, SavedListId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavedPageRequest } from '../../domain/saved/saved-records.ts';
import { readRowCursor, withCursor } from './page-cursor.ts';
import { sourceObject } from './person-rows.ts';
import { afterCondition, createConditions, type PageOrder, partOf } from './saved-page.ts';

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

/** Columns of a `SavedCompanyRow`, of company `c`, what was paid `d` and source `o`. */
export const savedCompanyColumns = `
  c.company_no, c.company_id, c.name, c.domain, c.website, c.description, c.industry, c.keywords, c.categories,
  c.company_type, c.city, c.region, c.country, c.employee_count, c.company_size, c.annual_revenue_usd, c.revenue,
  c.funding_usd, c.profile_url, c.is_synthetic, ${sourceObject('o')} AS source, d.run_id, d.paid_at`;

const byName: PageOrder = { key: 'lower(c.name)', type: 'text', direction: 'ASC' };

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 'd.paid_at', type: 'timestamptz', direction: 'DESC' },
  name: byName,
  company: byName,
};

/** Companies of a list that the account has paid for. */
export function listSavedCompanies(
  pool: Pool,
  accountId: AccountId,
  listId: SavedListId,
  request: SavedPageRequest,
): Promise<{ companies: SavedCompany[]; nextCursor: string | undefined }> {
  return withCursor(request.cursor, async () => {
    const order = orders[request.sort];
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
