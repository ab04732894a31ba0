import pg from 'pg';
import type { HealthCheck } from '../health.ts';
import { observeGauges } from '../signals.ts';
import { dropForgottenConnections, limitAnswers } from './unanswered-statements.ts';

export interface PostgresOptions {
  readonly connectionString: string;
  /** The schema that the service owns. */
  readonly schema: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly connectionsMax: number;
  /** Called when a connection breaks while idle; the pool replaces it automatically. */
  readonly onIdleError: (error: Error) => void;
}

/** Postgres itself cancels a statement after this time, in milliseconds. */
const statementMsMax = 8_000;

/**
 * A statement without an answer fails after this time, in milliseconds: a firewall forgot its connection, or its host
 * is gone, so an answer would take minutes or never arrive. The pool then uses another connection.
 */
const answerMsMax = statementMsMax + 1_000;

/** After this time without traffic, in milliseconds, the operating system sends keepalive probes. */
const keepAliveMs = 10_000;

/** How long to wait for the answer to a statement that has its own timeout in Postgres. */
export function answerMsFor(statementMs: number): number {
  return statementMs + answerMsMax - statementMsMax;
}

/** Opens a pool whose connections use the service's schema first and time out instead of hanging. */
export function openPostgres(options: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    options: `-c search_path=${options.schema}`,
    max: options.connectionsMax,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementMsMax,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  });
  pool.on('error', error => {
    // `end` does not wait for the server, so a connection that the server closes in the meantime does not matter.
    if (!pool.ending) {
      options.onIdleError(error);
    }
  });
  // A connection that breaks while checked out fails its statement; without a listener it would end the process.
  pool.on('connect', client => client.on('error', () => undefined));
  pool.on('connect', client => limitAnswers(client, answerMsMax));
  dropForgottenConnections(pool, answerMsMax);
  observePool(pool, options.applicationName);
  return pool;
}

/** Creates the function that opens the pool for all stores of a service. */
export function databaseOpener(schema: string, applicationName: string) {
  return ({ url, ...options }: DatabaseOptions): { readonly pool: pg.Pool; close(): Promise<void> } => {
    const pool = openPostgres({ connectionString: url, schema, applicationName, ...options });
    return { pool, close: () => pool.end() };
  };
}

interface DatabaseOptions extends Pick<PostgresOptions, 'connectionsMax' | 'onIdleError'> {
  readonly url: string;
}

/** Observes how busy a pool is: a caller that waits for a connection is usually a request. */
function observePool(pool: pg.Pool, name: string): void {
  observeGauges(
    [
      { name: 'mailproof.database.connections', description: 'Connections to Postgres, by pool and state.' },
      {
        name: 'mailproof.database.waiting',
        description: 'Requests waiting for a Postgres connection, by pool.',
      },
    ],
    () => {
      const idle = pool.idleCount;
      return [
        [
          [pool.totalCount - idle, { pool: name, state: 'used' }],
          [idle, { pool: name, state: 'idle' }],
        ],
        [[pool.waitingCount, { pool: name }]],
      ];
    },
  );
}

/**
 * Checks that statements reach the service's own schema, and that its migrations have run: all of its tables are made in
 * one transaction.
 */
export function schemaCheck(pool: pg.Pool, schema: string): HealthCheck {
  return async () => {
    const { rows } = await pool.query<{ current: string | null; has_tables: boolean }>(
      `SELECT current_schema() AS current,
              EXISTS (SELECT FROM information_schema.tables WHERE table_schema = current_schema()) AS has_tables`,
    );
    const [row] = rows;
    if (row?.current !== schema) {
      throw new Error(
        `The database role uses schema ${row?.current ?? '(none)'}; ${schema} is required. Run the migrations first.`,
      );
    }
    if (!row.has_tables) throw new Error(`The schema ${schema} has no tables. Run the migrations first.`);
  };
}

export function postgresCheck(pool: pg.Pool): HealthCheck {
  return async () => void (await pool.query('SELECT 1'));
}
