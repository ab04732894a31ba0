import { Problem } from '@mailproof/service-kit';
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
import {
  provenanceOf,
  readSources,
  type SourcedRow,
  sourcedColumns,
  sourceIdsOf,
} from './person-provenance.ts';
import { savedColumns, savedJoins, savedPersonOf } from './person-rows.ts';
import { type SavedCompanyRow, savedCompanyColumns, savedCompanyOf } from './saved-lists.ts';

const saved = `
  FROM saved_person s
  WHERE s.account_id = $1 AND ($2::text IS NULL OR s.run_id = $2) AND ($3::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $3 AND e.person_no = s.person_no))`;

const listKeys = `
  SELECT ${keyOfMoment('s.saved_at', 's.person_no')} AS key ${saved}
    AND (s.saved_at, s.person_no) > (${momentOfKey('$4')}, $5::int)
  ORDER BY s.saved_at, s.person_no LIMIT ${limits.exportKeysPerPageMax + 1}`;

/**
 * Looks up key by key (enforced by `LIMIT`): with outdated statistics after a large run, a join would read all saved
 * rows.
 */
const readPeople = `
  SELECT r.*, a.key
  FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a(person_no, key, at)
  CROSS JOIN LATERAL (
    SELECT ${savedColumns}, ${sourcedColumns}
    FROM saved_person s JOIN person p ON p.person_no = s.person_no ${savedJoins}
    WHERE s.account_id = $1 AND s.person_no = a.person_no LIMIT 1
  ) r
  ORDER BY a.at`;

const isThere = `
  SELECT ($2::text IS NULL OR EXISTS (
      SELECT FROM saved_list WHERE account_id = $1 AND list_id = $2 AND kind = 'people'))
    AND ($3::text IS NULL OR EXISTS (
      SELECT FROM discovery_run r JOIN discovery_search s USING (search_id)
      WHERE r.account_id = $1 AND r.run_id = $3 AND s.kind = 'people')) AS is_there`;

/** Reads saved people from Postgres, in the order in which they were saved. */
export function createExportedPeople(pool: Pool): ExportedRows<PeopleSource> {
  const findSource = async (accountId: AccountId, { list_id, run_id }: PeopleSource) => {
    const { rows } = await pool.query<{ is_there: boolean }>(isThere, [
      accountId,
      list_id ?? null,
      run_id ?? null,
    ]);
    return rows[0]?.is_there === true;
  };
  return {
    async list(accountId, source, after) {
      const [order, number] = partsOfKey(after);
      if (!(await findSource(accountId, source))) {
        return undefined;
      }
      const from = [accountId, source.run_id ?? null, source.list_id ?? null];
      const counted = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows ${saved}`, from);
      const { rows } = await pool.query<{ key: string }>(listKeys, [...from, order, number]);
      return {
        columns: [...peopleColumns],
        total: counted.rows[0]?.rows ?? 0,
        keys: rows.slice(0, limits.exportKeysPerPageMax).map(({ key }) => key),
        is_last: rows.length <= limits.exportKeysPerPageMax,
      };
    },
    async read(accountId, source, keys) {
      const numbers = numbersOfKeys(keys);
      if (!(await findSource(accountId, source))) {
        return undefined;
      }
      const { rows } = await pool.query<SourcedRow & { key: string }>(readPeople, [accountId, numbers, keys]);
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

interface CompanyRow extends SavedCompanyRow {
  readonly key: string;
  readonly field_sources: Record<string, number>;
  readonly strength: number | null;
  readonly reasons: KeptReasons | null;
}

/** A resolved source: the search whose order its rows have, if it belongs to one search. */
interface Found {
  readonly searchId: string | null;
}

const pageRows = limits.exportKeysPerPageMax + 1;

/** `$2` is the search, `$3` the run, `$4` the list. */
const ofSearch = `
  FROM lookalike_result r JOIN paid_company d ON d.account_id = $1 AND d.company_no = r.company_no
  WHERE r.search_id = $2 AND ($3::text IS NULL OR r.run_id = $3) AND ($4::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $4 AND e.company_no = r.company_no))`;

const ofAll = `
  FROM paid_company d
  WHERE d.account_id = $1 AND $2::text IS NULL AND $3::text IS NULL AND ($4::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $4 AND e.company_no = d.company_no))`;

const listOfSearch = `
  SELECT r.rank || '.' || r.company_no AS key ${ofSearch} AND (r.rank, r.company_no) > ($5::int, $6::int)
  ORDER BY r.rank, r.company_no LIMIT ${pageRows}`;

const listOfAll = `
  SELECT ${keyOfMoment('d.paid_at', 'd.company_no')} AS key ${ofAll}
    AND (d.paid_at, d.company_no) > (${momentOfKey('$5')}, $6::int)
  ORDER BY d.paid_at, d.company_no LIMIT ${pageRows}`;

/** Looks up key by key (enforced by `LIMIT`), like people. */
const readCompanies = `
  SELECT f.*, a.key
  FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a(company_no, key, at)
  CROSS JOIN LATERAL (
    SELECT ${savedCompanyColumns}, c.field_sources, r.strength, r.reasons
    FROM paid_company d
    JOIN company c ON c.company_no = d.company_no
    JOIN source o ON o.source_id = c.source_id
    LEFT JOIN lookalike_result r ON r.search_id = $4 AND r.company_no = d.company_no
    WHERE d.account_id = $1 AND d.company_no = a.company_no AND ($4::text IS NULL OR r.company_no IS NOT NULL)
    LIMIT 1
  ) f
  ORDER BY a.at`;

/** A run determines its search; if a search is given too, it must be the same. */
const findNamed = `
  SELECT coalesce($2, (SELECT search_id FROM discovery_run WHERE account_id = $1 AND run_id = $3)) AS search_id,
    ($2::text IS NULL OR EXISTS (
      SELECT FROM discovery_search WHERE account_id = $1 AND search_id = $2 AND kind = 'lookalikes'))
    AND ($3::text IS NULL OR EXISTS (
      SELECT FROM discovery_run r JOIN discovery_search s USING (search_id)
      WHERE r.account_id = $1 AND r.run_id = $3 AND s.kind = 'lookalikes' AND ($2 IS NULL OR r.search_id = $2)))
    AND ($4::text IS NULL OR EXISTS (
      SELECT FROM saved_list WHERE account_id = $1 AND list_id = $4 AND kind = 'companies')) AS is_there`;

/**
 * Reads companies from Postgres: those of one search by descending similarity, those of several in the order in which
 * they were paid for.
 */
export function createExportedCompanies(pool: Pool): ExportedRows<CompaniesSource> {
  const find = async (accountId: AccountId, source: CompaniesSource): Promise<Found | undefined> => {
    const named = [source.search_id ?? null, source.run_id ?? null, source.list_id ?? null];
    const { rows } = await pool.query<{ search_id: string | null; is_there: boolean }>(findNamed, [
      accountId,
      ...named,
    ]);
    return rows[0]?.is_there === true ? { searchId: rows[0].search_id } : undefined;
  };
  return {
    async list(accountId, source, after) {
      const [order, number] = partsOfKey(after);
      const found = await find(accountId, source);
      if (!found) {
        return undefined;
      }
      const { searchId } = found;
      const [from, list] = searchId === null ? [ofAll, listOfAll] : [ofSearch, listOfSearch];
      const values = [accountId, searchId, source.run_id ?? null, source.list_id ?? null];
      const counted = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows ${from}`, values);
      const { rows } = await pool.query<{ key: string }>(list, [...values, order, number]);
      return {
        columns: [...companyColumns(searchId !== null)],
        total: counted.rows[0]?.rows ?? 0,
        keys: rows.slice(0, limits.exportKeysPerPageMax).map(({ key }) => key),
        is_last: rows.length <= limits.exportKeysPerPageMax,
      };
    },
    async read(accountId, source, keys) {
      const numbers = numbersOfKeys(keys);
      const found = await find(accountId, source);
      if (!found) {
        return undefined;
      }
      const { rows } = await pool.query<CompanyRow>(readCompanies, [
        accountId,
        numbers,
        keys,
        found.searchId,
      ]);
      const sources = await readSources(
        pool,
        rows.flatMap(row => Object.values(row.field_sources)),
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
  row: CompanyRow,
  sources: ReadonlyMap<number, RecordSource>,
  { searchId }: Found,
): ReturnType<typeof companyValues> {
  const provenance = Object.entries(row.field_sources).flatMap(([column, id]) => {
    const source = sources.get(id);
    return source ? [[column, source] as const] : [];
  });
  const match =
    searchId === null ? null : { strength: row.strength ?? 0, sharedTerms: row.reasons?.shared_terms ?? [] };
  return companyValues(savedCompanyOf(row), match, Object.fromEntries(provenance));
}

/**
 * Rows are identified by their sort value and number. A timestamp is written in microseconds since 1970, the full
 * precision of Postgres, so that a key determines its position even if the row was removed.
 */
function keyOfMoment(column: string, number: string): string {
  return `(extract(epoch FROM ${column}) * 1000000)::bigint || '.' || ${number}`;
}

function momentOfKey(parameter: string): string {
  return `'epoch'::timestamptz + ${parameter}::bigint * interval '1 microsecond'`;
}

/** Returns the value and number of a key; without a key, a position before every row. */
function partsOfKey(key: string | undefined): readonly [order: string, number: string] {
  const [, order, number] = /^(\d{1,16})\.(\d{1,9})$/.exec(key ?? '0.0') ?? [];
  if (order === undefined || number === undefined) {
    throw new Problem('invalid_request', { detail: 'A key does not belong to a row of this source.' });
  }
  return [order, number];
}

function numbersOfKeys(keys: readonly string[]): number[] {
  return keys.map(key => Number(partsOfKey(key)[1]));
}
