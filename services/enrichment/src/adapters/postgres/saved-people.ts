import { inTransaction, onlyRow, writeCursor } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/people-delivery.ts';
import type { PreviewPorts } from '../../domain/discovery/people-preview.ts';
import type { SavedPageRequest, SavedPeople } from '../../domain/saved/saved-records.ts';
import {
  previewedPersonOf,
  provenanceOf,
  readSources,
  type SavedRow,
  savedPersonOf,
  sourceIdsOf,
} from './person-rows.ts';
import type { Transaction } from './run-store.ts';
import { sql } from './saved.sql.ts';
import {
  afterCondition,
  createConditions,
  type PageOrder,
  partOf,
  readRowCursor,
  sourceObject,
  withCursor,
} from './saved-page.ts';

const companyName = "coalesce(c.name, p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  company: { key: `lower(${companyName})`, type: 'text', direction: 'ASC' },
};

/** The columns of a `SavedRow`, as in saved.sql. */
const selectSaved = `
  SELECT p.person_no, p.person_id, p.full_name, p.first_name, p.last_name, p.job_title, p.headline, c.company_id,
    coalesce(c.name, p.company_name) AS company_name, c.domain AS company_domain, p.city, p.region, p.country,
    c.industry, p.seniority, p.department, c.company_size, p.is_synthetic, c.revenue, c.annual_revenue_usd, p.keywords,
    c.company_type, coalesce(p.website, c.website) AS website, p.follower_count, p.connection_count, p.profile_badges,
    p.profile_url, ${sourceObject} AS source, s.run_id, s.saved_at`;

/** Stores saved people in Postgres. */
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
          `${selectSaved}, (${order.key})::text AS order_key
           FROM saved_person s JOIN person p ON p.person_no = s.person_no
           LEFT JOIN company c ON c.company_no = p.company_no JOIN source o ON o.source_id = p.source_id
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
      const { rows } = await sql.find_saved_person(pool, { account_id: accountId, person_id: personId });
      const [row] = rows;
      return (
        row && {
          ...savedPersonOf(row),
          provenance: provenanceOf(row, await readSources(pool, sourceIdsOf(row))),
        }
      );
    },

    remove: (accountId, personIds) =>
      inTransaction(pool, client =>
        onlyRow(sql.remove_saved_people(client, { account_id: accountId, person_ids: personIds })),
      ),
  };
}

/** Implements saving for runs. */
export function createSavingStore(pool: Pool): SavingStore<Transaction> {
  return {
    async savedNumbers(accountId) {
      return Int32Array.from((await onlyRow(sql.saved_numbers(pool, { account_id: accountId }))).numbers);
    },
    async unsavedOf(accountId, personNos) {
      const values = { account_id: accountId, person_nos: personNos };
      return (await onlyRow(sql.unsaved_numbers(pool, values))).numbers;
    },
    async save(client, run, personNos) {
      const saved = sql.save_people(client, {
        account_id: run.accountId,
        run_id: run.runId,
        person_nos: personNos,
        list_id: run.listId,
      });
      return (await onlyRow(saved)).saved;
    },
    async countSaved(client, { accountId, runId }) {
      const values = { account_id: accountId, run_id: runId };
      return (await onlyRow(sql.count_saved_by_run(client, values))).saved;
    },
  };
}

/** Reads previews of people; omits people removed from the store since the index answered. */
export function createReadPreviews(pool: Pool): PreviewPorts['readPreviews'] {
  return async (accountId, personNos) => {
    if (personNos.length === 0) {
      return [];
    }
    const { rows } = await sql.read_previews(pool, { account_id: accountId, person_nos: personNos });
    return rows.map(previewedPersonOf);
  };
}
