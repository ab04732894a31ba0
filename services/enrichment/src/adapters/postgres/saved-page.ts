import { Problem, readCursor } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { z } from 'zod';

/** The order of a page of saved records: the sort, its direction, and its SQL. */
export interface PageOrder {
  /** The SQL of the sort key, as text that converts back unchanged. */
  readonly key: string;
  /** The type to which the text is cast for comparison. */
  readonly type: 'text' | 'timestamptz' | 'integer';
  readonly direction: 'ASC' | 'DESC';
}

/** A source `o` as shown in records, as in saved.sql. */
export const sourceObject = `json_build_object('kind', o.kind, 'name', o.name, 'licence', o.licence,
  'retrieved_on', to_char(o.retrieved_on, 'YYYY-MM-DD'))`;

/** Collects conditions and their values, numbered in the order in which they are added. */
export function createConditions(first: readonly unknown[]) {
  const values = [...first];
  const texts: string[] = [];
  return {
    values,
    /** `condition` refers to the value as `?`, any number of times. */
    add(condition: string, value: unknown): void {
      if (value !== undefined) {
        values.push(value);
        texts.push(condition.replaceAll('?', `$${values.length}`));
      }
    },
    toSql: () => texts.map(text => ` AND ${text}`).join(''),
  };
}

/** Returns the sort key of a text that can be null: null comes last. */
export function unknownLast(column: string): string {
  return `((${column} IS NULL)::int || lower(coalesce(${column}, '')))`;
}

/** Returns the sort key of a number of employees: the first number of the band, or -1 if that is unknown too. */
export function employeesOf(band: string, exact = 'NULL'): string {
  return `coalesce(${exact}, substring(${band} FROM '^[0-9]+')::int, -1)`;
}

/** Counts the rows of a statement that begins with `FROM`. */
export async function countRows(pool: Pool, from: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows ${from}`, [...values]);
  return rows[0]?.rows ?? 0;
}

/** Returns an `ILIKE` pattern for a substring. */
export function partOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replace(/[\\%_]/g, character => `\\${character}`)}%`;
}

/** Returns the condition for rows after the previous page, whose last key and number are `$n` and `$n+1`. */
export function afterCondition(order: PageOrder, number: string, parameterNo: number): string {
  const compare = order.direction === 'ASC' ? '>' : '<';
  return ` AND (${order.key}, ${number}) ${compare} ($${parameterNo}::${order.type}, $${parameterNo + 1}::int)`;
}

/** The sort key of a row, as the text that Postgres parses; Postgres accepts no NUL in a text. */
const orderValue = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(text => !text.includes('\0'));
const rowPosition = z.tuple([orderValue, orderValue]);

/**
 * Parses the key and number of the last row of the previous page.
 *
 * @throws Problem `invalid_cursor`
 */
export function readRowCursor(cursor: string): [key: string, number: string] {
  return readCursor(rowPosition, cursor);
}

/** Runs a statement with parameters from a cursor: a value that their types reject is an invalid cursor. */
export async function withCursor<Result>(
  cursor: string | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    // PostgreSQL error class 22: data exception.
    const isDataFault = error instanceof Error && 'code' in error && String(error.code).startsWith('22');
    throw cursor !== undefined && isDataFault ? new Problem('invalid_cursor', { cause: error }) : error;
  }
}
