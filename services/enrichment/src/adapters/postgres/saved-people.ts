import { inTransaction, onlyRow, writeCursor } from '@mailproof/service-kit';
import { type AccountId, limits, type PersonId, type PreviewedPerson } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/filter-delivery.ts';
import type { PreviewPorts } from '../../domain/discovery/search-preview.ts';

import type { SavedFilters, SavedPageRequest, SavedPeople } from '../../domain/saved/saved-records.ts';
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
  countRows,
  createConditions,
  employeesOf,
  type PageOrder,
  partOf,
  readRowCursor,
  unknownLast,
  withCursor,
} from './saved-page.ts';

const companyName = "coalesce(p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  job_title: { key: unknownLast('p.job_title'), type: 'text', direction: 'ASC' },
  company: { key: unknownLast('p.company_name'), type: 'text', direction: 'ASC' },
  industry: { key: unknownLast('p.industry'), type: 'text', direction: 'ASC' },
  company_size: { key: employeesOf('p.company_size'), type: 'integer', direction: 'DESC' },
  updated_at: { key: 'p.updated_at', type: 'timestamptz', direction: 'DESC' },
};

/** The columns of a `SavedRow`, as in saved.sql. */
const selectSaved = `
  SELECT p.person_no, p.person_id, p.full_name, p.first_name, p.last_name, p.job_title, p.headline, p.company_id,
    p.company_name, p.company_domain, p.city, p.region, p.country, p.industry, p.seniority, p.department,
    p.company_size, p.is_synthetic, p.revenue, p.annual_revenue_usd, p.keywords, p.company_type, p.website,
    p.follower_count, p.connection_count, p.profile_badges, p.profile_url, p.source, s.run_id, s.import_id, s.saved_at,
    p.updated_at`;

/** Looks up each person by number (enforced by `LIMIT`), so that a page in the order of saving reads no other rows. */
const withRecords =
  'CROSS JOIN LATERAL (SELECT * FROM person_record WHERE person_no = s.person_no LIMIT 1) p';

/**
 * The rows that `savedConditions` refers to: people saved from the shared store, or imported by the account. Their
 * records `p` are looked up only if something refers to them.
 */
function fromSaved(where: ReturnType<typeof savedConditions>, orderKey = ''): string {
  const conditions = where.toSql();
  const records = /\bp\./.test(`${conditions} ${orderKey}`) ? withRecords : '';
  return `FROM account_person s ${records} WHERE s.account_id = $1${conditions}`;
}

const isOfActiveRun =
  "EXISTS (SELECT 1 FROM discovery_run r WHERE r.run_id = s.run_id AND r.state IN ('queued', 'running'))";
const isOnList = `s.person_no IN (
    SELECT coalesce(e.person_no, e.own_person_no) FROM saved_list_entry e WHERE e.list_id = ? AND e.company_no IS NULL)`;

function savedConditions(accountId: AccountId, filters: SavedFilters) {
  const where = createConditions([accountId]);
  where.add(
    `(p.full_name ILIKE ? OR p.job_title ILIKE ? OR p.headline ILIKE ? OR ${companyName} ILIKE ?)`,
    partOf(filters.text),
  );
  where.add('p.seniority = ?', filters.seniority);
  where.add('p.department = ?', filters.department);
  where.add(`(${companyName} ILIKE ? OR p.company_domain ILIKE ?)`, partOf(filters.company));
  where.add('p.country = ?', filters.country);
  where.add('s.run_id = ?', filters.run_id);
  where.add('s.import_id = ?', filters.import_id);
  where.add(isOnList, filters.list_id);
  return where;
}

/** What the selection of ids reads of a person. */
const withId = 'p.person_id';

/** Stores saved people in Postgres. */
export function createSavedPeople(pool: Pool): SavedPeople {
  return {
    list: (accountId, request) =>
      withCursor(request.cursor, async () => {
        const order = orders[request.sort];
        const where = savedConditions(accountId, request);
        const total =
          request.cursor === undefined ? await countRows(pool, fromSaved(where), where.values) : undefined;
        const after =
          request.cursor === undefined
            ? ''
            : afterCondition(order, 's.person_no', where.values.push(...readRowCursor(request.cursor)) - 1);
        const inOrder = `${order.direction}, s.person_no ${order.direction}`;
        const { rows } = await pool.query<SavedRow & { order_key: string }>(
          `${selectSaved}, (s.sort_key)::text AS order_key
           FROM (
             SELECT s.*, ${order.key} AS sort_key ${fromSaved(where, order.key)}${after}
             ORDER BY ${order.key} ${inOrder} LIMIT ${request.limit + 1}
           ) s ${withRecords}
           ORDER BY s.sort_key ${inOrder}`,
          where.values,
        );
        const shown = rows.slice(0, request.limit);
        const last = rows.length > request.limit ? shown.at(-1) : undefined;
        return {
          people: shown.map(savedPersonOf),
          total,
          nextCursor: last && writeCursor([last.order_key, last.person_no]),
        };
      }),

    select(accountId, filters, notOnList) {
      const where = savedConditions(accountId, filters);
      where.add(`NOT ${isOnList}`, notOnList);
      return selectIds(pool, fromSaved(where, withId), where.values);
    },

    async removeMatching(accountId, filters) {
      const where = savedConditions(accountId, filters);
      const matching = fromSaved(where, withId);
      const kept = await countRows(pool, `${matching} AND ${isOfActiveRun}`, where.values);
      const { ids, more } = await selectIds(pool, `${matching} AND NOT ${isOfActiveRun}`, where.values);
      const { removed } = await removePeople(pool, accountId, ids);
      return { removed, kept, more };
    },

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

    remove: (accountId, personIds) => removePeople(pool, accountId, personIds),
  };
}

/** Selects the ids of the first saved people of a statement. */
async function selectIds(pool: Pool, from: string, values: readonly unknown[]) {
  const { rows } = await pool.query<{ person_id: PersonId }>(
    `SELECT ${withId} ${from} ORDER BY s.person_no LIMIT ${limits.savedMatchingMax + 1}`,
    [...values],
  );
  const ids = rows.slice(0, limits.savedMatchingMax).map(({ person_id }) => person_id);
  return { ids, more: rows.length > ids.length };
}

function removePeople(pool: Pool, accountId: AccountId, personIds: readonly PersonId[]) {
  return inTransaction(pool, client =>
    onlyRow(sql.remove_saved_people(client, { account_id: accountId, person_ids: personIds })),
  );
}

/** Implements saving for runs of people searches. */
export function createPeopleSaving(pool: Pool): SavingStore<Transaction> {
  return {
    async savedNumbers(accountId) {
      return Int32Array.from((await onlyRow(sql.saved_numbers(pool, { account_id: accountId }))).numbers);
    },
    async numbersOf(personIds) {
      return (await onlyRow(sql.person_numbers(pool, { person_ids: personIds }))).numbers;
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
export function createReadPreviews(pool: Pool): PreviewPorts<PreviewedPerson>['readPreviews'] {
  return async (accountId, personNos) => {
    if (personNos.length === 0) {
      return [];
    }
    const { rows } = await sql.read_previews(pool, { account_id: accountId, person_nos: personNos });
    return rows.map(previewedPersonOf);
  };
}
