import pg from 'pg';
import type { HealthCheck } from '../health.ts';

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

/** Opens a pool whose every connection sees the service's own schema first and gives up instead of hanging. */
export function openPostgres(options: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    application_name: options.applicationName,
    options: `-c search_path=${options.schema}`,
    max: options.connectionsMax,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  });
  pool.on('error', error => {
    // `end` does not wait until the server knows of it: what is closed from there meanwhile is no loss.
    if (!pool.ending) {
      options.onIdleError(error);
    }
  });
  return pool;
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
