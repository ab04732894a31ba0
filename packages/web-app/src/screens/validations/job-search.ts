import type { Schema } from '../../api/client.ts';

export type Job = Schema['ValidationJob'];
export type JobState = Job['state'];

/** The filter for the rows of a job: a result or a kind of row; without it, all rows are shown. */
export type Shown = keyof typeof shownQueries;

/** The API query for each filter. */
export const shownQueries = {
  ok: { result: 'ok' },
  catch_all_validated: { result: 'catch_all_validated' },
  catch_all: { result: 'catch_all' },
  invalid: { result: 'invalid' },
  unknown: { result: 'unknown' },
  none: { result: 'none' },
  valid: { kind: 'valid' },
  broken: { kind: 'broken' },
  blank: { kind: 'blank' },
  duplicate: { kind: 'duplicate' },
} as const;

/** The query parameters of a job's URL. */
export interface JobSearch {
  readonly show?: Shown | undefined;
  /** The positions of the visible columns, such as `0-2-5`; empty to hide all of the list's own columns. */
  readonly columns?: string | undefined;
  /** The row whose details are open. */
  readonly row?: number | undefined;
  /** The id of the job that the results are compared with. */
  readonly earlier?: string | undefined;
}

export interface JobListSearch {
  readonly state?: JobState | undefined;
  /** True to list the jobs of test keys. */
  readonly test?: true | undefined;
}

export const listedStates = [
  'ready',
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly JobState[];

export function jobListSearchOf(search: Readonly<Record<string, unknown>>): JobListSearch {
  return {
    state: listedStates.find(state => state === search['state']),
    test: search['test'] === true ? true : undefined,
  };
}

export function jobSearchOf(search: Readonly<Record<string, unknown>>): JobSearch {
  const { show, columns, row, earlier } = search;
  return {
    show: typeof show === 'string' && Object.hasOwn(shownQueries, show) ? (show as Shown) : undefined,
    columns: /^(?:|\d{1,3}(?:-\d{1,3})*)$/.test(String(columns ?? '?')) ? String(columns) : undefined,
    row: Number.isSafeInteger(row) && Number(row) > 0 ? Number(row) : undefined,
    earlier: /^vjob_[0-9a-f]{32}$/.test(String(earlier)) ? String(earlier) : undefined,
  };
}

/** The number of the list's own columns that are initially visible; more would push the results off the screen. */
const columnsSeenMax = 5;

/** Returns the positions of the columns that are shown in addition to the address. */
export function seenColumns(
  job: Pick<Job, 'columns' | 'address_column'>,
  chosen: string | undefined,
): number[] {
  const all = [...job.columns.keys()].filter(position => position !== job.address_column);
  if (chosen === undefined) return all.slice(0, columnsSeenMax);
  const wanted = new Set(chosen.split('-').filter(Boolean).map(Number));
  return all.filter(position => wanted.has(position));
}

/** Returns the number of rows that a filter shows. */
export function shownCount(
  { rows, results }: Pick<Job, 'rows' | 'results'>,
  show: Shown | undefined,
): number {
  if (show === undefined) return rows.total;
  if (show in rows) return rows[show as keyof typeof rows];
  const known = Object.values(results).reduce((sum, count) => sum + count, 0);
  return show === 'none' ? Math.max(0, rows.total - known) : (results[show] ?? 0);
}

export const rowsPerPage = 100;

/** Returns the numbers of the pages that contain the visible rows. */
export function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / rowsPerPage);
  return Array.from({ length: Math.floor(last / rowsPerPage) - from + 1 }, (_, at) => from + at);
}
