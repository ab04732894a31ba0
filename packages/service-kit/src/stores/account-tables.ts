import { type AccountId, type ExportedRow, limits } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { Problem } from '../problem.ts';

/**
 * The data that a service keeps about an account in one table, and whether deletion removes it. The export, the
 * deletion and the tests that look for forgotten columns all use it (ADR 0024).
 */
export interface AccountTable {
  readonly table: string;
  /** SQL of the relation to read instead of the table, if its rows are found through another table. */
  readonly from?: string;
  /** SQL that selects an account's rows; `$1` is the account's id. */
  readonly ofAccount: string;
  /** Columns that identify a row and define the order. */
  readonly key: readonly [string, ...string[]];
  /** Columns that an export includes. */
  readonly exported: readonly string[];
  /** Columns that an export omits, each with the reason. */
  readonly withheld: Readonly<Record<string, string>>;
  /** Whether the rows are deleted with the account, or kept for a reason. */
  readonly whenDeleted: 'deleted' | { readonly kept: string };
}

/** Tables without account data, or whose rows belong to no single account, each with the reason. */
export type TablesWithoutAccount = Readonly<Record<string, string>>;

export interface ExportPage {
  readonly rows: ExportedRow[];
  readonly nextCursor: string | undefined;
}

/** Reads an account's rows page by page: one table after the other, each in the order of its key. */
export type ReadAccountPage = (accountId: AccountId, cursor: string | undefined) => Promise<ExportPage>;

/** Creates the handler for a service's part of an account export. */
export function accountExportHandler(pool: Pool, tables: readonly AccountTable[]) {
  const readPage = createAccountReader(pool, tables);
  return ({ params, query }: AccountExportInput): Promise<ExportPage> =>
    readPage(params.accountId, query.cursor);
}

interface AccountExportInput {
  readonly params: { readonly accountId: AccountId };
  readonly query: { readonly cursor?: string | undefined };
}

/**
 * Size limit of one page, in octets, because a row can be long. The row that exceeds the limit is the last of its page.
 */
const pageOctetsMax = 4_000_000;

/** Where the next page begins: a table and the key of the last row read from it. */
type Position = readonly [tableIndex: number, ...key: readonly string[]];

/**
 * Creates the reader of an account's data. Each page takes one short statement per table, so that a long export blocks
 * nothing. Rows that appear during the export may or may not be in it.
 *
 * @throws Problem `invalid_cursor` for a cursor that no page returned
 */
export function createAccountReader(
  pool: Pool,
  tables: readonly AccountTable[],
  rowsMax: number = limits.exportPageRowsMax,
): ReadAccountPage {
  return async (accountId, cursor) => {
    let position = cursor === undefined ? ([0] as const) : readCursor(cursor, tables);
    const rows: ExportedRow[] = [];
    for (;;) {
      const [index, ...after] = position;
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
      position = [index + 1];
    }
  };
}

/** How many rows of an account a request deleted; `remaining` says whether there may be more. */
export interface ForgottenPortion {
  readonly deleted: number;
  readonly remaining: boolean;
}

/** Deletes a portion of the data stored about a deleted account. */
export type ForgetAccount = (accountId: AccountId) => Promise<ForgottenPortion>;

/**
 * Maximum number of rows that a request deletes from one table, so that statements stay short and an account of any
 * size can be forgotten.
 */
const rowsForgottenMax = 5_000;

/**
 * Creates the function that forgets an account: one table after the other, in the declared order, except for tables to
 * keep.
 */
export function createForgetAccount(pool: Pool, tables: readonly AccountTable[]): ForgetAccount {
  return async accountId => {
    let deleted = 0;
    for (const { table, ofAccount } of tables.filter(({ whenDeleted }) => whenDeleted === 'deleted')) {
      const { rowCount } = await pool.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM ${table} WHERE ${ofAccount} LIMIT ${rowsForgottenMax}))`,
        [accountId],
      );
      deleted += rowCount ?? 0;
      if (rowCount === rowsForgottenMax) {
        // Rows of later tables can identify those that remain in this one.
        return { deleted, remaining: true };
      }
    }
    return { deleted, remaining: false };
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
         SELECT row, key, position, count(*) OVER ()::int AS found,
           sum(octet_length(row::text)) OVER (ORDER BY position) - octet_length(row::text) AS octets_ahead
         FROM (
           SELECT json_build_object(${exported.map(column => `'${column}', ${column}`).join(', ')}) AS row,
             ARRAY[${key.map(column => `${column}::text`).join(', ')}] AS key,
             row_number() OVER (ORDER BY ${columns}) AS position
           FROM ${from} AS "${table}" WHERE (${ofAccount}) ${behind} ORDER BY ${columns} LIMIT ${rowsMax}
         ) AS read
       ) AS page WHERE octets_ahead < ${pageOctetsMax} ORDER BY position`,
      [accountId, ...after],
    );
    return rows;
  } catch (error) {
    throw after.length > 0 && isDataFault(error) ? new Problem('invalid_cursor', { cause: error }) : error;
  }
}

/** Whether the error is in class 22 of Postgres's error codes: a text that is not valid for its column's type. */
function isDataFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('22');
}

function writeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function readCursor(cursor: string, tables: readonly AccountTable[]): Position {
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
 * Compares the declared columns with the existing ones and describes each difference: an undeclared column or table is
 * missing from exports, and its content would outlive its account.
 *
 * @param columns the columns in the service's schema, by table
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
