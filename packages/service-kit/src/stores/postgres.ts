import pg from 'pg';
import type { HealthCheck } from '../health.ts';
import { observeGauges } from '../metrics.ts';
import { giveUpForgotten } from './forgotten-connections.ts';
import { limitAnswers } from './statement-deadline.ts';

export interface PostgresOptions {
  readonly connectionString: string;
  /** The one schema that the service owns. */
  readonly schema: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly connectionsMax: number;
  /** Told of connections that break while idle; the pool replaces them by itself. */
  readonly onIdleError: (error: Error) => void;
}

/** Postgres itself gives a statement up after so long, in milliseconds. */
const statementMsMax = 8_000;

/**
 * After so long, in milliseconds, nobody waits for an answer any more: it is on a connection that a firewall has forgotten,
 * or of a host that is gone, and would come after minutes or never. The pool takes another connection.
 */
const answerMsMax = statementMsMax + 1_000;

/** After so long without a word, in milliseconds, the operating system asks whether the other end is still there. */
const keepAliveMs = 10_000;

/** How much longer than Postgres somebody waits who has given a statement another time. */
export function answerMsFor(statementMs: number): number {
  return statementMs + answerMsMax - statementMsMax;
}

/** Opens a pool whose every connection sees the service's own schema first and gives up instead of hanging. */
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
    // `end` does not wait until the server knows of it: what is closed from there meanwhile is no loss.
    if (!pool.ending) {
      options.onIdleError(error);
    }
  });
  // A connection that breaks in somebody's hands fails their statement; without a listener it would end the process.
  pool.on('connect', client => client.on('error', () => undefined));
  pool.on('connect', client => limitAnswers(client, answerMsMax));
  giveUpForgotten(pool, answerMsMax);
  observePool(pool, options.applicationName);
  return pool;
}

/** How busy a pool is: whoever waits for a connection waits with a request in hand. */
function observePool(pool: pg.Pool, name: string): void {
  observeGauges(
    [
      { name: 'mailproof.database.connections', description: 'Connections to Postgres, by pool and state.' },
      {
        name: 'mailproof.database.waiting',
        description: 'What waits for a connection to Postgres, by pool.',
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

/** Refuses to go on when statements would reach another schema than the service's own. */
export async function assertSchema(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ current_schema: string | null }>('SELECT current_schema()');
  const current = rows[0]?.current_schema;
  if (current !== schema) {
    throw new Error(
      `The database role works in schema ${current ?? '(none)'}; ${schema} is needed. Run the migrations first.`,
    );
  }
}

export function postgresCheck(pool: pg.Pool): HealthCheck {
  return async () => void (await pool.query('SELECT 1'));
}
