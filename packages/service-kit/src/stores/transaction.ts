import { EventEmitter } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import { isUnanswered } from './unanswered-statements.ts';

/** A table whose new rows are awaited by a part of the process that writes them. */
type AwaitedTable = 'outbox' | 'event';

const writtenIn = new WeakMap<Pool | PoolClient, Set<AwaitedTable>>();
const emitters = new WeakMap<Pool, EventEmitter>();

/** Runs statements in a transaction, which rolls back if `work` throws. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const written = new Set<AwaitedTable>();
  writtenIn.set(client, written);
  let broken: Error | undefined;
  // The pool listens only to idle connections. A connection that breaks here fails its statement and must not end the
  // process.
  const onBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    for (const table of written) {
      emitters.get(pool)?.emit(table);
    }
    return result;
  } catch (error) {
    if (isUnanswered(error)) {
      // A rollback would get no answer either. Postgres rolls back when it ends the session.
      broken = error;
    } else {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
    }
    throw error;
  } finally {
    writtenIn.delete(client);
    client.off('error', onBroken);
    // A connection that could not roll back is not reused.
    client.release(broken);
  }
}

/**
 * Wakes those in this process that await rows of a table: when the transaction of `inTransaction` commits, or now if a
 * pool wrote them. They poll as well, so that they find the rows of other processes and nothing depends on a wake-up.
 */
export function tellWritten(db: Pool | PoolClient, table: AwaitedTable): void {
  const written = writtenIn.get(db);
  if (written) {
    written.add(table);
  } else {
    emitters.get(db as Pool)?.emit(table);
  }
}

/** Calls `wake` after this process has written rows of a table through the pool, until the returned function is called. */
export function onWritten(pool: Pool, table: AwaitedTable, wake: () => void): () => void {
  const emitter = emitters.get(pool) ?? new EventEmitter().setMaxListeners(0);
  emitters.set(pool, emitter);
  emitter.on(table, wake);
  return () => emitter.off(table, wake);
}
