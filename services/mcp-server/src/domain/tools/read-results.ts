import { askAsAccount, type ToolPorts } from './call-tool.ts';
import { type ResultsPage, readListResults, resultsUriOf } from './list-results.ts';
import type { ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure } from './tool-failure.ts';

/** A page of results as a resource, with the URI of the next page; or why there is none. */
export type ResultsOutcome =
  | { readonly kind: 'read'; readonly results: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'failed';
      readonly status: number;
      readonly message: string;
      /** The thrown value, for the log. */
      readonly cause?: unknown;
    };

/** Reads a page of a list's results for an assistant. Never throws. */
export async function readResults(
  { askRestApi }: Pick<ToolPorts, 'askRestApi'>,
  page: ResultsPage,
  caller: ToolCaller,
  signal: AbortSignal,
): Promise<ResultsOutcome> {
  try {
    const { data } = await readListResults(askAsAccount(askRestApi, caller, signal), page);
    const { next_row: next, ...results } = data;
    return {
      kind: 'read',
      results: { ...results, next: next === null ? null : resultsUriOf({ ...page, firstRow: next }) },
    };
  } catch (error) {
    const failure = error instanceof ToolFailure ? error : ownFailure(500, error);
    return { kind: 'failed', status: failure.status, message: failure.message, cause: failure.cause };
  }
}
