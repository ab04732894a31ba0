import { type AccountId, limits, type RecordSource } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { companyColumns, companyValues } from '../../../domain/exported/exported-companies.ts';
import type { CompaniesSource, ExportedRows } from '../../../domain/exported/exported-rows.ts';
import type { KeptReasons } from '../kept-reasons.ts';
import { readSources } from '../person-provenance.ts';
import { type SavedCompanyRow, savedCompanyColumns, savedCompanyOf } from '../saved-companies.ts';
import { keyOfMoment, momentOfKey, numbersOfKeys, partsOfKey } from './row-keys.ts';

interface CompanyRow extends SavedCompanyRow {
  readonly key: string;
  readonly field_sources: Record<string, number>;
  readonly strength: number | null;
  readonly reasons: KeptReasons | null;
}

/** What a source stands for: the search whose order its rows are in, if it is of one search. */
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

/** Key by key (`LIMIT` keeps it so), as people are read. */
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

/** A run names its search; a search that is named besides has to be the same. */
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
 * Rows of companies on Postgres: those of one search the most alike first, those of several in the order in which they
 * were paid for.
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
