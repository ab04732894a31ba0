import { type SearchEngine, type ToldError, toldFailure } from './open-engine.ts';

/**
 * Runs several searches of one index in parallel, in one request; returns their answers in the same order. Throws
 * `EngineFailure` if one of them fails.
 */
export async function searchAll<Answer>(
  engine: SearchEngine,
  alias: string,
  bodies: readonly object[],
  timeoutMs: number,
): Promise<readonly Answer[]> {
  const header = {
    // A part of the index is no answer.
    allow_partial_search_results: false,
    cancel_after_time_interval: `${timeoutMs}ms`,
  };
  type Part = Answer & { readonly status: number; readonly error?: ToldError };
  const { responses } = await engine.send<{ readonly responses: readonly Part[] }>(
    'POST',
    `/${alias}/_msearch`,
    { timeoutMs, lines: bodies.flatMap(body => [header, body]) },
  );
  const failed = responses.find(({ status }) => status !== 200);
  if (failed) {
    throw toldFailure(failed.status, failed.error);
  }
  return responses;
}

/**
 * Returns a function that sends what is asked in the same turn in one request, so that the engine, which bounds how many
 * searches of a request run at once, bounds them all.
 */
export function together<Answer>(send: SearchAll<Answer>): SearchAll<Answer> {
  let asked: {
    readonly bodies: readonly object[];
    readonly resolve: (answers: readonly Answer[]) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const flush = async () => {
    const all = asked;
    asked = [];
    try {
      const answers = await send(all.flatMap(({ bodies }) => bodies));
      let at = 0;
      for (const { bodies, resolve } of all) {
        resolve(answers.slice(at, at + bodies.length));
        at += bodies.length;
      }
    } catch (error) {
      for (const { reject } of all) {
        reject(error);
      }
    }
  };
  return bodies =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) {
        setImmediate(flush);
      }
      asked.push({ bodies, resolve, reject });
    });
}

type SearchAll<Answer> = (bodies: readonly object[]) => Promise<readonly Answer[]>;
