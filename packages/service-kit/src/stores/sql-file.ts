import { readFileSync } from 'node:fs';
import type { ClientBase, QueryConfig } from 'pg';

/** A statement of a `.sql` file (ADR 0065). */
export interface SqlStatement {
  /** The same name in the file, in the code and, for a prepared statement, in traces. */
  readonly name: string;
  /** Parameters in the order of `$1`, `$2` and so on. */
  readonly parameters: readonly { readonly name: string; readonly isNullable: boolean }[];
  /** Whether each connection parses and plans it once. */
  readonly isPrepared: boolean;
  /** Computed columns that are never null; Postgres cannot tell. */
  readonly notNull: readonly string[];
  readonly text: string;
}

/** The types of a statement, as the database describes it. Without `row`, it returns no rows. */
export interface SqlTypes {
  readonly values: object;
  readonly row?: object;
}

/** The pool, or a connection with an open transaction. */
type Runner = Pick<ClientBase, 'query'>;

export interface SqlResult<Row> {
  readonly rows: Row[];
  /** Number of rows read or changed. */
  readonly rowCount: number | null;
}

/** The statements of a file, each a function of its values. */
export type SqlFile<Types extends Readonly<Record<string, SqlTypes>>> = {
  readonly [Name in keyof Types]: (
    on: Runner,
    values: Types[Name]['values'],
    /** How long to wait for the answer, in milliseconds, if not as long as for other statements. */
    answerMsMax?: number,
  ) => Promise<SqlResult<Types[Name] extends { readonly row: infer Row } ? Row : Record<string, never>>>;
};

/** The row that a statement of a `.sql` file returns. */
export type RowOf<Statement> = Statement extends (...given: never[]) => Promise<SqlResult<infer Row>>
  ? Row
  : never;

/**
 * Reads a `.sql` file. The generated file next to it provides the types: `pnpm sql` writes it, and a test checks it.
 */
export function readSql<Types extends Readonly<Record<string, SqlTypes>>>(file: URL): SqlFile<Types> {
  const statements = parseSql(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    statements.map(statement => [statement.name, runnerOf(statement)]),
  ) as unknown as SqlFile<Types>;
}

function runnerOf({ name, parameters, isPrepared, text }: SqlStatement) {
  return (on: Runner, values: Readonly<Record<string, unknown>>, answerMsMax?: number) => {
    const query: QueryConfig & { readonly query_timeout?: number } = {
      ...(isPrepared && { name }),
      text,
      values: parameters.map(parameter => values[parameter.name]),
      ...(answerMsMax !== undefined && { query_timeout: answerMsMax }),
    };
    return on.query(query);
  };
}

/** Returns the row of a statement that always returns one. */
export async function onlyRow<Row>(result: Promise<SqlResult<Row>>): Promise<Row> {
  const [row] = (await result).rows;
  if (row === undefined) {
    throw new Error('The statement returned no row.');
  }
  return row;
}

const nameLine = /^-- name: ([a-z][a-z0-9_]*)\(([a-z0-9_?, ]*)\)$/;
const notNullLine = /^-- not null: ([A-Za-z0-9_, ]+)$/;

/** Splits a file into its statements: each begins with `-- name: its_name(parameter, nullable_parameter?)`. */
export function parseSql(file: string): SqlStatement[] {
  const statements = file
    .split(/^(?=-- name:)/m)
    .filter(part => part.startsWith('-- name:'))
    .map(parseStatement);
  const names = statements.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`Two statements have the name ${twice}.`);
  }
  return statements;
}

function parseStatement(part: string): SqlStatement {
  const lines = part.trimEnd().split('\n');
  const [first = ''] = lines;
  const [, name, list = ''] = nameLine.exec(first) ?? [];
  if (name === undefined) {
    throw new Error(`"${first}" names no statement. Write -- name: its_name(parameter, nullable_parameter?)`);
  }
  const parameters = wordsOf(list).map(word => ({
    name: word.replace('?', ''),
    isNullable: word.endsWith('?'),
  }));
  const text = lines
    .filter(line => !line.startsWith('--'))
    .join('\n')
    .trim()
    .replace(/;$/, '');
  const numbers = new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  if (numbers.size !== parameters.length || Math.max(0, ...numbers) !== parameters.length) {
    throw new Error(`The statement ${name} names ${parameters.length} parameters and uses ${numbers.size}.`);
  }
  return {
    name,
    parameters,
    isPrepared: lines.includes('-- prepared'),
    notNull: lines.flatMap(line => wordsOf(notNullLine.exec(line)?.[1] ?? '')),
    text,
  };
}

function wordsOf(list: string): string[] {
  return list.split(',').flatMap(word => word.trim() || []);
}
