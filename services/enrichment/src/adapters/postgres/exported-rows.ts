import { onlyRow, Problem, type RowOf } from '@mailproof/service-kit';
import { type AccountId, limits, type RecordSource } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import {
  type CompaniesSource,
  companyColumns,
  companyValues,
  type ExportedRows,
  type PeopleSource,
  peopleColumns,
  personValues,
} from '../../domain/exported/exported-rows.ts';
import type { KeptReasons } from './company-rows.ts';
import { type FieldSources, provenanceOf, readSources, savedPersonOf, sourceIdsOf } from './person-rows.ts';
import { sql } from './saved.sql.ts';
import { savedCompanyOf } from './saved-lists.ts';

const pageRows = limits.exportKeysPerPageMax + 1;

/** Reads saved people from Postgres, in the order in which they were saved. */
export function createExportedPeople(pool: Pool): ExportedRows<PeopleSource> {
  const isSource = async (accountId: AccountId, { list_id, run_id }: PeopleSource) =>
    (await onlyRow(sql.is_people_source(pool, { account_id: accountId, list_id, run_id }))).is_there;
  return {
    async list(accountId, source, after) {
      const [order, number] = partsOfKey(after);
      if (!(await isSource(accountId, source))) {
        return undefined;
      }
      const values = { account_id: accountId, run_id: source.run_id, list_id: source.list_id };
      const counted = await onlyRow(sql.count_saved_people(pool, values));
      const { rows } = await sql.list_saved_people_keys(pool, {
        ...values,
        after_moment: order,
        after_no: number,
        rows_max: pageRows,
      });
      return keysPage(peopleColumns, counted.rows, rows);
    },
    async read(accountId, source, keys) {
      const numbers = numbersOfKeys(keys);
      if (!(await isSource(accountId, source))) {
        return undefined;
      }
      const { rows } = await sql.read_saved_people(pool, {
        account_id: accountId,
        person_nos: numbers,
        keys,
      });
      const sources = await readSources(pool, rows.flatMap(sourceIdsOf));
      return {
        columns: [...peopleColumns],
        keys_read: keys.length,
        rows: rows.map(row => ({
          key: row.key,
          values: personValues(savedPersonOf(row), provenanceOf(row, sources)),
        })),
      };
    },
  };
}

function keysPage(
  columns: readonly string[],
  total: number,
  rows: readonly { readonly key: string }[],
): Awaited<ReturnType<ExportedRows<PeopleSource>['list']>> {
  return {
    columns: [...columns],
    total,
    keys: rows.slice(0, limits.exportKeysPerPageMax).map(({ key }) => key),
    is_last: rows.length <= limits.exportKeysPerPageMax,
  };
}

/** A resolved source: the search whose order its rows have, if it belongs to one search. */
interface Found {
  readonly searchId: string | null;
}

/**
 * Reads companies from Postgres: those of one search by descending similarity, those of several in the order in which
 * they were paid for.
 */
export function createExportedCompanies(pool: Pool): ExportedRows<CompaniesSource> {
  const find = async (accountId: AccountId, source: CompaniesSource): Promise<Found | undefined> => {
    const { search_id, run_id, list_id } = source;
    const values = { account_id: accountId, search_id, run_id, list_id };
    const found = await onlyRow(sql.find_companies_source(pool, values));
    return found.is_there ? { searchId: found.search_id } : undefined;
  };
  return {
    async list(accountId, source, after) {
      const [order, number] = partsOfKey(after);
      const found = await find(accountId, source);
      if (!found) {
        return undefined;
      }
      const { searchId } = found;
      const columns = companyColumns(searchId !== null);
      const values = { account_id: accountId, list_id: source.list_id };
      if (searchId === null) {
        const ofRun = { ...values, run_id: source.run_id, search_id: source.search_id };
        const counted = await onlyRow(sql.count_paid_companies(pool, ofRun));
        const page = { ...ofRun, after_moment: order, after_no: number, rows_max: pageRows };
        const { rows } = await sql.list_paid_company_keys(pool, page);
        return keysPage(columns, counted.rows, rows);
      }
      const ofSearch = { ...values, search_id: searchId, run_id: source.run_id };
      const counted = await onlyRow(sql.count_paid_companies_of_search(pool, ofSearch));
      const page = { ...ofSearch, after_rank: Number(order), after_no: number, rows_max: pageRows };
      const { rows } = await sql.list_paid_company_keys_of_search(pool, page);
      return keysPage(columns, counted.rows, rows);
    },
    async read(accountId, source, keys) {
      const numbers = numbersOfKeys(keys);
      const found = await find(accountId, source);
      if (!found) {
        return undefined;
      }
      const { rows } = await sql.read_paid_companies(pool, {
        account_id: accountId,
        company_nos: numbers,
        keys,
        search_id: found.searchId,
      });
      const sources = await readSources(
        pool,
        rows.flatMap(row => Object.values(row.field_sources as FieldSources)),
      );
      return {
        columns: [...companyColumns(found.searchId !== null)],
        keys_read: keys.length,
        rows: rows.map(row => ({ key: row.key, values: valuesOf(row, sources, found) })),
      };
    },
  };
}

function valuesOf(
  row: RowOf<typeof sql.read_paid_companies>,
  sources: ReadonlyMap<number, RecordSource>,
  { searchId }: Found,
): ReturnType<typeof companyValues> {
  const provenance = Object.entries(row.field_sources as FieldSources).flatMap(([column, id]) => {
    const source = sources.get(id);
    return source ? [[column, source] as const] : [];
  });
  const reasons = row.reasons as KeptReasons | null;
  const match =
    searchId === null ? null : { strength: row.strength ?? 0, sharedTerms: reasons?.shared_terms ?? [] };
  return companyValues(savedCompanyOf(row), match, Object.fromEntries(provenance));
}

/** Returns the value and number of a key; without a key, a position before every row. */
function partsOfKey(key: string | undefined): readonly [order: bigint, number: number] {
  const [, order, number] = /^(\d{1,16})\.(-?\d{1,9})$/.exec(key ?? '0.0') ?? [];
  if (order === undefined || number === undefined) {
    throw new Problem('invalid_request', { detail: 'A key does not belong to a row of this source.' });
  }
  return [BigInt(order), Number(number)];
}

function numbersOfKeys(keys: readonly string[]): number[] {
  return keys.map(key => partsOfKey(key)[1]);
}
