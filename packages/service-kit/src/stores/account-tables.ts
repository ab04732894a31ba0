import { type AccountId, type ExportedRow, limits } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { Problem } from '../problem.ts';

/**
 * What a service keeps of an account in one table, and what becomes of it: the export, the deletion and the tests that
 * look for forgotten columns all read it here (ADR 0024).
 */
export interface AccountTable {
  readonly table: string;
  /** SQL of what to read in place of the table, where its rows are found by another. */
  readonly from?: string;
  /** SQL that tells an account's rows from others; `$1` is the account's id. */
  readonly ofAccount: string;
  /** Columns that name a row and put rows in order. */
  readonly key: readonly [string, ...string[]];
  /** Columns that an export shows. */
  readonly exported: readonly string[];
  /** Columns that it does not show, each with the reason. */
  readonly withheld: Readonly<Record<string, string>>;
  /** Whether the rows go when the account is deleted, or stay for a reason. */
  readonly whenDeleted: 'deleted' | { readonly kept: string };
}

/** Tables that hold nothing of an account, or nothing that can be told from others', each with the reason. */
export type TablesWithoutAccount = Readonly<Record<string, string>>;

export interface ExportPage {
  readonly rows: ExportedRow[];
  readonly nextCursor: string | undefined;
}

/** Reads an account's rows page by page: table after table, each by its key. */
export type ReadAccountPage = (accountId: AccountId, cursor: string | undefined) => Promise<ExportPage>;

/** Octets of one page: a row can be long. The row that goes beyond is the last of its page. */
const pageOctetsMax = 4_000_000;

/** Where the next page begins: a table and the key of the last row that was read of it. */
type Place = readonly [tableIndex: number, ...key: readonly string[]];

/**
 * Makes the reader of an account's share. Each page is one short statement a table, so that an export holds nothing up
 * however long it takes; rows that appear meanwhile may or may not be in it.
 *
 * @throws Problem `invalid_cursor` for a cursor that no page has answered
 */
export function createAccountReader(
  pool: Pool,
  tables: readonly AccountTable[],
  rowsMax: number = limits.exportPageRowsMax,
): ReadAccountPage {
  return async (accountId, cursor) => {
    let place = cursor === undefined ? ([0] as const) : readCursor(cursor, tables);
    const rows: ExportedRow[] = [];
    for (;;) {
      const [index, ...after] = place;
      const table = tables[index];
      if (!table) {
        return { rows, nextCursor: undefined };
      }
      const wanted = rowsMax - rows.length;
      const found = await readRows(pool, table, accountId, after, wanted);
      rows.push(...found.map(({ row }) => ({ table: table.table, row })));
      const last = found.at(-1);
      if (last && (found.length === wanted || found.length < last.found)) {
        return { rows, nextCursor: writeCursor([index, ...last.key]) };
      }
      place = [index + 1];
    }
  };
}

async function readRows(
  pool: Pool,
  { table, from = table, ofAccount, key, exported }: AccountTable,
  accountId: AccountId,
  after: readonly string[],
  rowsMax: number,
): Promise<{ row: Record<string, unknown>; key: string[]; found: number }[]> {
  const columns = key.join(', ');
  const behind =
    after.length > 0 ? `AND (${columns}) > (${after.map((_, at) => `$${at + 2}`).join(', ')})` : '';
  try {
    const { rows } = await pool.query<{ row: Record<string, unknown>; key: string[]; found: number }>(
      `SELECT row, key, found FROM (
         SELECT row, key, place, count(*) OVER ()::int AS found,
           sum(octet_length(row::text)) OVER (ORDER BY place) - octet_length(row::text) AS octets_ahead
         FROM (
           SELECT json_build_object(${exported.map(column => `'${column}', ${column}`).join(', ')}) AS row,
             ARRAY[${key.map(column => `${column}::text`).join(', ')}] AS key,
             row_number() OVER (ORDER BY ${columns}) AS place
           FROM ${from} AS "${table}" WHERE (${ofAccount}) ${behind} ORDER BY ${columns} LIMIT ${rowsMax}
         ) AS read
       ) AS page WHERE octets_ahead < ${pageOctetsMax} ORDER BY place`,
      [accountId, ...after],
    );
    return rows;
  } catch (error) {
    throw after.length > 0 && isDataFault(error) ? new Problem('invalid_cursor', { cause: error }) : error;
  }
}

/** Class 22 of Postgres's error codes: a text that its column's type does not take. */
function isDataFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('22');
}

function writeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readCursor(cursor: string, tables: readonly AccountTable[]): Place {
  const [index, ...key] = parsed(cursor);
  const table = typeof index === 'number' ? tables[index] : undefined;
  if (table?.key.length !== key.length || key.some(part => typeof part !== 'string')) {
    throw new Problem('invalid_cursor');
  }
  return [index as number, ...(key as string[])];
}

function parsed(cursor: string): readonly unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

/**
 * Compares what is declared with the columns that there are, and tells each difference in words: a column or table that
 * nobody declared is missing from exports, and what it holds would outlive its account.
 *
 * @param columns of the service's schema, by table
 */
export function accountTableFaults(
  columns: ReadonlyMap<string, readonly string[]>,
  tables: readonly AccountTable[],
  without: TablesWithoutAccount,
): string[] {
  const faults: string[] = columns.size === 0 ? ['there are no tables'] : [];
  for (const [table, there] of columns) {
    const declared = tables.find(candidate => candidate.table === table);
    if (!declared && !(table in without)) {
      faults.push(`${table} is neither exported nor exempt`);
    }
    const known = declared ? [...declared.exported, ...Object.keys(declared.withheld)] : there;
    faults.push(
      ...there
        .filter(column => !known.includes(column))
        .map(column => `${table}.${column} is neither exported nor withheld`),
      ...known.filter(column => !there.includes(column)).map(column => `${table} has no column ${column}`),
    );
  }
  const names = [...tables.map(({ table }) => table), ...Object.keys(without)];
  faults.push(...names.filter(name => !columns.has(name)).map(name => `there is no table ${name}`));
  return faults;
}
