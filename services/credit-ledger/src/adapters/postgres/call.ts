import type { Pool, QueryResultRow } from 'pg';

export interface StoreOptions {
  /** Tests move time with it; without it the database's clock rules, so that replicas agree. */
  readonly now?: (() => Date) | undefined;
}

/** Calls one of the functions of the migrations with its arguments in their order, this moment as the last. */
export type CallFunction = <Row extends QueryResultRow>(
  name: string,
  ...values: readonly unknown[]
) => Promise<Row>;

/**
 * These go past Prisma: a named statement is parsed and planned once a connection (ADR 0020). Each function answers one
 * row.
 */
export function createCall(pool: Pool, { now }: StoreOptions): CallFunction {
  return async <Row extends QueryResultRow>(name: string, ...values: readonly unknown[]): Promise<Row> => {
    const all = [...values, now?.() ?? null];
    const places = all.map((_, index) => `$${index + 1}`).join(', ');
    const { rows } = await pool.query<Row>({
      name,
      text: `SELECT * FROM ${name}(${places})`,
      values: all,
    });
    const [row] = rows;
    if (!row) {
      throw new Error(`${name} answered no row`);
    }
    return row;
  };
}
