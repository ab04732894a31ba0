import { inTransaction, writeCursor } from '@mailproof/service-kit';
import type { RecordSource } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavedPageRequest, SavedPeople } from '../../domain/saved/saved-records.ts';
import { readRowCursor, withCursor } from './page-cursor.ts';
import { type SavedRow, savedColumns, savedJoins, savedPersonOf, sourceObject } from './person-rows.ts';
import { afterCondition, createConditions, type PageOrder, partOf } from './saved-page.ts';

const companyName = "coalesce(c.name, p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  company: { key: `lower(${companyName})`, type: 'text', direction: 'ASC' },
};

const fromSaved = `FROM saved_person s JOIN person p ON p.person_no = s.person_no ${savedJoins}`;

/** Rows whose run is under way are what it will be charged for. */
const remove = `
  WITH named AS (
    SELECT s.person_no, r.run_id IS NOT NULL AS is_kept
    FROM saved_person s JOIN person p USING (person_no)
    LEFT JOIN discovery_run r ON r.run_id = s.run_id AND r.state IN ('queued', 'running')
    WHERE s.account_id = $1 AND p.person_id = ANY($2::text[])
  ), removed AS (
    DELETE FROM saved_person s USING named
    WHERE s.account_id = $1 AND s.person_no = named.person_no AND NOT named.is_kept RETURNING s.person_no
  ), unlisted AS (
    DELETE FROM saved_list_entry e USING saved_list l, removed
    WHERE e.list_id = l.list_id AND l.account_id = $1 AND e.person_no = removed.person_no
  )
  SELECT (SELECT count(*)::int FROM removed) AS removed, (SELECT count(*)::int FROM named WHERE is_kept) AS kept`;

/** Saved people on Postgres. */
export function createSavedPeople(pool: Pool): SavedPeople {
  return {
    list: (accountId, request) =>
      withCursor(request.cursor, async () => {
        const order = orders[request.sort];
        const where = createConditions([accountId]);
        where.add(
          `(p.full_name ILIKE ? OR p.job_title ILIKE ? OR p.headline ILIKE ? OR ${companyName} ILIKE ?)`,
          partOf(request.text),
        );
        where.add('p.seniority = ?', request.seniority);
        where.add('p.department = ?', request.department);
        where.add(`(${companyName} ILIKE ? OR c.domain ILIKE ?)`, partOf(request.company));
        where.add('p.country = ?', request.country);
        where.add('s.run_id = ?', request.run_id);
        where.add(
          'EXISTS (SELECT 1 FROM saved_list_entry e WHERE e.list_id = ? AND e.person_no = s.person_no)',
          request.list_id,
        );
        const after =
          request.cursor === undefined
            ? ''
            : afterCondition(order, 's.person_no', where.values.push(...readRowCursor(request.cursor)) - 1);
        const { rows } = await pool.query<SavedRow & { order_key: string }>(
          `SELECT ${savedColumns}, (${order.key})::text AS order_key ${fromSaved}
           WHERE s.account_id = $1${where.toSql()}${after}
           ORDER BY ${order.key} ${order.direction}, s.person_no ${order.direction} LIMIT ${request.limit + 1}`,
          where.values,
        );
        const shown = rows.slice(0, request.limit);
        const last = rows.length > request.limit ? shown.at(-1) : undefined;
        return {
          people: shown.map(savedPersonOf),
          nextCursor: last && writeCursor([last.order_key, last.person_no]),
        };
      }),

    async find(accountId, personId) {
      const { rows } = await pool.query<
        SavedRow & {
          field_sources: Record<string, number>;
          company_sources: Record<string, number> | null;
          company_source: number | null;
        }
      >(
        `SELECT ${savedColumns}, p.field_sources, c.field_sources AS company_sources, c.source_id AS company_source
         ${fromSaved} WHERE s.account_id = $1 AND p.person_id = $2`,
        [accountId, personId],
      );
      const [row] = rows;
      if (!row) {
        return undefined;
      }
      const ids = [
        ...Object.values(row.field_sources),
        ...Object.values(row.company_sources ?? {}),
        ...(row.company_source === null ? [] : [row.company_source]),
      ];
      const sources = await pool.query<{ source_id: number; source: RecordSource }>(
        `SELECT source_id, ${sourceObject('o')} AS source FROM source o WHERE source_id = ANY($1::int[])`,
        [ids],
      );
      const byId = new Map(sources.rows.map(({ source_id, source }) => [source_id, source]));
      const person = savedPersonOf(row);
      return { ...person, provenance: provenanceOf(row, byId) };
    },

    remove: (accountId, personIds) =>
      inTransaction(pool, async client => {
        const { rows } = await client.query<{ removed: number; kept: number }>(remove, [
          accountId,
          personIds,
        ]);
        return rows[0] ?? { removed: 0, kept: 0 };
      }),
  };
}

/** Fields of a saved person by the columns that they come from. */
const personFields = {
  name: 'full_name',
  job_title: 'job_title',
  headline: 'headline',
  location: 'country',
  seniority: 'seniority',
  department: 'department',
  keywords: 'keywords',
  website: 'website',
  follower_count: 'follower_count',
  connection_count: 'connection_count',
  profile_badges: 'profile_badges',
  profile_url: 'profile_url',
} as const;

const companyFields = {
  company: 'name',
  industry: 'industry',
  company_size: 'company_size',
  revenue: 'revenue',
  annual_revenue_usd: 'annual_revenue_usd',
  company_type: 'company_type',
} as const;

function provenanceOf(
  row: SavedRow & {
    readonly field_sources: Record<string, number>;
    readonly company_sources: Record<string, number> | null;
    readonly company_source: number | null;
  },
  sources: ReadonlyMap<number, RecordSource>,
): Record<string, RecordSource> {
  const person = savedPersonOf(row);
  const ofPerson = Object.entries(personFields).map(
    ([field, column]) => [field, sources.get(row.field_sources[column] ?? -1) ?? row.source] as const,
  );
  const companyDefault = row.company_source === null ? row.source : sources.get(row.company_source);
  const ofCompany = Object.entries(companyFields).map(
    ([field, column]) => [field, sources.get(row.company_sources?.[column] ?? -1) ?? companyDefault] as const,
  );
  const known = (field: string) => {
    const value = person[field as keyof typeof person];
    return field === 'company'
      ? person.company.name !== null
      : field === 'location'
        ? person.location.country !== null || person.location.region !== null || person.location.city !== null
        : value !== null && !(Array.isArray(value) && value.length === 0);
  };
  return Object.fromEntries(
    [...ofPerson, ...ofCompany].flatMap(([field, source]) =>
      source && known(field) ? [[field, source]] : [],
    ),
  );
}
