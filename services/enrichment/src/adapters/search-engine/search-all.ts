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
