import type { Socket } from 'node:net';
import type pg from 'pg';
import { unansweredMessage } from './statement-deadline.ts';

/**
 * Whether a statement was given up because nothing came back: Postgres itself would have given it up earlier and said so, so
 * its connection is one that a firewall has forgotten, or that of a host which is gone.
 */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === unansweredMessage;
}

/**
 * Takes all connections of a pool for forgotten when one is, so that they are not found out one after the other, each by a
 * request that waits for nothing. Those that were opened since are left alone.
 *
 * @param answerMsMax how long ago the statement that was not answered had been sent
 */
export function giveUpForgotten(pool: pg.Pool, answerMsMax: number): void {
  const openedAtMs = new WeakMap<pg.PoolClient, number>();
  const used = new Set<pg.PoolClient>();
  pool.on('connect', client => openedAtMs.set(client, Date.now()));
  pool.on('acquire', client => used.add(client));
  pool.on('release', (error, client) => {
    used.delete(client);
    // Whoever handed it back could not even roll back: the next statement would become a part of what is thrown away.
    if (!error && isInTransaction(client)) drop(client);
    if (!isUnanswered(error) || pool.ending) return;
    const sentAtMs = Date.now() - answerMsMax;
    const isOlder = (each: pg.PoolClient) => (openedAtMs.get(each) ?? 0) <= sentAtMs;
    // Their statements fail at once; whoever has them hands them back as broken.
    for (const each of used) if (isOlder(each)) drop(each);
    // The pool shows idle connections to nobody who does not take them.
    for (let left = pool.idleCount; left > 0; left -= 1) {
      pool.connect().then(
        each => {
          if (isOlder(each)) drop(each);
          each.release();
        },
        () => undefined,
      );
    }
  });
}

function isInTransaction(client: pg.PoolClient): boolean {
  const status = client.getTransactionStatus();
  return status === 'T' || status === 'E';
}

/** Ends a connection without a goodbye, which nobody would answer. The pool takes none back that is ending. */
function drop(client: pg.PoolClient): void {
  void client.end();
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
  connection.stream.destroy();
}
