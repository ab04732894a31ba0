import { inTransaction, onlyRow, writeCursor } from '@mailproof/service-kit';
import { type AccountId, limits, type PersonId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/people-delivery.ts';
import type { PreviewPorts } from '../../domain/discovery/people-preview.ts';
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
  type PageOrder,
  partOf,
  readRowCursor,
  sourceObject,
  unknownLast,
  withCursor,
} from './saved-page.ts';

const companyName = "coalesce(c.name, p.company_name, '')";

const orders: Readonly<Record<SavedPageRequest['sort'], PageOrder>> = {
  saved_at: { key: 's.saved_at', type: 'timestamptz', direction: 'DESC' },
  name: { key: 'lower(p.full_name)', type: 'text', direction: 'ASC' },
  job_title: { key: unknownLast('p.job_title'), type: 'text', direction: 'ASC' },
  company: { key: unknownLast('coalesce(c.name, p.company_name)'), type: 'text', direction: 'ASC' },
  updated_at: { key: 'p.updated_at', type: 'timestamptz', direction: 'DESC' },
};

/** The columns of a `SavedRow`, as in saved.sql. */
const selectSaved = `
  SELECT p.person_no, p.person_id, p.full_name, p.first_name, p.last_name, p.job_title, p.headline, c.company_id,
    coalesce(c.name, p.company_name) AS company_name, c.domain AS company_domain, p.city, p.region, p.country,
    c.industry, p.seniority, p.department, c.company_size, p.is_synthetic, c.revenue, c.annual_revenue_usd, p.keywords,
    c.company_type, coalesce(p.website, c.website) AS website, p.follower_count, p.connection_count, p.profile_badges,
    p.profile_url, ${sourceObject} AS source, s.run_id, s.saved_at, p.updated_at`;

/** The rows that `savedConditions` refers to. */
const fromSaved = `
  FROM saved_person s JOIN person p ON p.person_no = s.person_no
  LEFT JOIN company c ON c.company_no = p.company_no JOIN source o ON o.source_id = p.source_id
  WHERE s.account_id = $1`;

const isOfActiveRun =
  "EXISTS (SELECT 1 FROM discovery_run r WHERE r.run_id = s.run_id AND r.state IN ('queued', 'running'))";
const isOnList =
  'EXISTS (SELECT 1 FROM saved_list_entry e WHERE e.list_id = ? AND e.person_no = s.person_no)';

function savedConditions(accountId: AccountId, filters: SavedFilters) {
  const where = createConditions([accountId]);
  where.add(
    `(p.full_name ILIKE ? OR p.job_title ILIKE ? OR p.headline ILIKE ? OR ${companyName} ILIKE ?)`,
    partOf(filters.text),
  );
  where.add('p.seniority = ?', filters.seniority);
  where.add('p.department = ?', filters.department);
  where.add(`(${companyName} ILIKE ? OR c.domain ILIKE ?)`, partOf(filters.company));
  where.add('p.country = ?', filters.country);
  where.add('s.run_id = ?', filters.run_id);
  where.add(isOnList, filters.list_id);
  return where;
}

/** Stores saved people in Postgres. */
export function createSavedPeople(pool: Pool): SavedPeople {
  return {
    list: (accountId, request) =>
      withCursor(request.cursor, async () => {
        const order = orders[request.sort];
        const where = savedConditions(accountId, request);
        const total =
          request.cursor === undefined
            ? await countRows(pool, `${fromSaved}${where.toSql()}`, where.values)
            : undefined;
        const after =
          request.cursor === undefined
            ? ''
            : afterCondition(order, 's.person_no', where.values.push(...readRowCursor(request.cursor)) - 1);
        const { rows } = await pool.query<SavedRow & { order_key: string }>(
          `${selectSaved}, (${order.key})::text AS order_key ${fromSaved}${where.toSql()}${after}
           ORDER BY ${order.key} ${order.direction}, s.person_no ${order.direction} LIMIT ${request.limit + 1}`,
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
      return selectIds(pool, `${fromSaved}${where.toSql()}`, where.values);
    },

    async removeMatching(accountId, filters) {
      const where = savedConditions(accountId, filters);
      const matching = `${fromSaved}${where.toSql()}`;
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
    `SELECT p.person_id ${from} ORDER BY s.person_no LIMIT ${limits.savedMatchingMax + 1}`,
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

/** Implements saving for runs. */
export function createSavingStore(pool: Pool): SavingStore<Transaction> {
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
export function createReadPreviews(pool: Pool): PreviewPorts['readPreviews'] {
  return async (accountId, personNos) => {
    if (personNos.length === 0) {
      return [];
    }
    const { rows } = await sql.read_previews(pool, { account_id: accountId, person_nos: personNos });
    return rows.map(previewedPersonOf);
  };
}
