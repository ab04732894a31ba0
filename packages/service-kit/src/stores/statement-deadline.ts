import type pg from 'pg';

type Answered = (error: Error | null, result: unknown) => void;

/** A statement, as `pg` takes it with a callback. Cursors, which are no statements, are of no use with it. */
type Query = (config: unknown, values: unknown, answered: Answered) => void;

/** What stands in for an answer that never came; `pg` calls it so as well. */
export const unansweredMessage = 'Query read timeout';

/**
 * Gives each statement of a connection so much time for its answer, in milliseconds, or as much as its own
 * `query_timeout` says. `pg` can do so itself, but keeps all that hangs on a statement until V8 looks through the whole
 * heap, and makes it do so every few seconds (ADR 0050).
 */
export function limitAnswers(client: pg.PoolClient, answerMsMax: number): void {
  const query = client.query.bind(client) as Query;

  function ask(config: unknown, values: unknown, answered: Answered): void {
    const giveUp = () => answered(new Error(unansweredMessage), undefined);
    const timer = setTimeout(giveUp, answerMsOf(config) ?? answerMsMax);
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

/** An answer may come after all when it has been given up. */
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
