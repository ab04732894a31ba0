import type { Pool, QueryResultRow } from 'pg';

export interface StoreOptions {
  /** Tests move time with it; without it the database's clock rules, so that replicas agree. */
  readonly now?: (() => Date) | undefined;
}

/** The moment of an answer, by the clock that decides what is over. */
export interface Answered {
  readonly answered_at: Date;
}

/** Calls functions of the migrations with their arguments in their order, this moment as the last. */
export interface CallFunction {
  /** Of a function that answers one row. */
  <Row extends QueryResultRow>(name: string, ...values: readonly unknown[]): Promise<Row & Answered>;
  /** Of a function that answers many, in its order. */
  all<Row extends QueryResultRow>(name: string, ...values: readonly unknown[]): Promise<(Row & Answered)[]>;
}

/** These go past Prisma: a named statement is parsed and planned once a connection (ADR 0020). */
export function createCall(pool: Pool, { now }: StoreOptions): CallFunction {
  async function all<Row extends QueryResultRow>(
    name: string,
    ...values: readonly unknown[]
  ): Promise<(Row & Answered)[]> {
    const given = [...values, now?.() ?? null];
    const places = given.map((_, index) => `$${index + 1}`).join(', ');
    const text = `SELECT *, coalesce($${given.length}, clock_timestamp()) AS answered_at FROM ${name}(${places})`;
    return (await pool.query<Row & Answered>({ name, text, values: given })).rows;
  }
  async function one<Row extends QueryResultRow>(
    name: string,
    ...values: readonly unknown[]
  ): Promise<Row & Answered> {
    const [row] = await all<Row>(name, ...values);
    if (!row) {
      throw new Error(`${name} answered no row`);
    }
    return row;
  }
  return Object.assign(one, { all });
}
