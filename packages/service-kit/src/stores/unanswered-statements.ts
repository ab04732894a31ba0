import type { Socket } from 'node:net';
import type pg from 'pg';

type Answered = (error: Error | null, result: unknown) => void;

/** The callback form of `pg`'s query function. It does not support cursors. */
type Query = (config: unknown, values: unknown, answered: Answered) => void;

/** Error message for a statement that got no answer; `pg` uses the same text. */
const unansweredMessage = 'Query read timeout';

/**
 * Limits how long each statement of a connection waits for its answer, in milliseconds; the statement's own
 * `query_timeout` takes precedence. `pg` offers this limit too, but then retains everything that a statement refers to
 * until a full garbage collection, and causes one every few seconds (ADR 0050).
 */
export function limitAnswers(client: pg.PoolClient, answerMsMax: number): void {
  const query = client.query.bind(client) as Query;

  function ask(config: unknown, values: unknown, answered: Answered): void {
    const giveUp = () => answered(new Error(unansweredMessage), undefined);
    // A process that was busy past the timeout reads the answers that have arrived before it gives up.
    const timer = setTimeout(() => setImmediate(giveUp), answerMsOf(config) ?? answerMsMax);
    query(config, values, (error, result) => {
      clearTimeout(timer);
      answered(error, result);
    });
  }

  function limited(config: unknown, values?: unknown, answered?: unknown): unknown {
    if (typeof values === 'function') return ask(config, undefined, onlyOnce(values as Answered));
    if (typeof answered === 'function') return ask(config, values, onlyOnce(answered as Answered));
    return new Promise((resolve, reject) => {
      ask(config, values, (error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  client.query = limited as typeof client.query;
}

/** Ignores further calls: the answer may still arrive after the timeout. */
function onlyOnce(answered: Answered): Answered {
  let isAnswered = false;
  return (error, result) => {
    if (!isAnswered) {
      isAnswered = true;
      answered(error, result);
    }
  };
}

function answerMsOf(config: unknown): number | undefined {
  return (config as { readonly query_timeout?: number } | null)?.query_timeout;
}

/**
 * Whether a statement timed out without an answer. Postgres itself would have canceled it earlier and reported that, so
 * a firewall has forgotten the connection, or the host is gone.
 */
export function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === unansweredMessage;
}

/**
 * Treats all connections of a pool as forgotten when one is. Otherwise they would be detected one by one, each at the
 * cost of a request that times out. Connections opened since then are kept.
 *
 * @param answerMsMax how long ago the unanswered statement was sent
 */
export function dropForgottenConnections(pool: pg.Pool, answerMsMax: number): void {
  const openedAtMs = new WeakMap<pg.PoolClient, number>();
  const used = new Set<pg.PoolClient>();
  pool.on('connect', client => openedAtMs.set(client, Date.now()));
  pool.on('acquire', client => used.add(client));
  pool.on('release', (error, client) => {
    used.delete(client);
    // The rollback failed too, so the next statement would join a transaction that is discarded.
    if (!error && isInTransaction(client)) drop(client);
    if (!isUnanswered(error) || pool.ending) return;
    const sentAtMs = Date.now() - answerMsMax;
    const isOlder = (each: pg.PoolClient) => (openedAtMs.get(each) ?? 0) <= sentAtMs;
    // Their statements fail immediately, and the holders release them as broken.
    for (const each of used) if (isOlder(each)) drop(each);
    // The pool offers no other way to reach its idle connections.
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

/**
 * Ends a connection without the closing message, which would get no reply. The pool discards a connection that is
 * ending.
 */
function drop(client: pg.PoolClient): void {
  void client.end();
  const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
  connection.stream.destroy();
}
