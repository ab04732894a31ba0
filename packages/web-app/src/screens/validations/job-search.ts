import type { Schema } from '../../api/client.ts';

export type Job = Schema['ValidationJob'];
export type JobState = Job['state'];

/** Which rows of a job are shown: those with a result, or of a kind; all unless it says. */
export type Shown = keyof typeof shownQueries;

/** What each of them asks the API for. */
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

/** What the address of a job's screen says besides the job. */
export interface JobSearch {
  readonly show?: Shown | undefined;
  /** Positions of the columns that are seen, as `0-2-5`; empty for none of the list's own. */
  readonly columns?: string | undefined;
  /** The row whose details are open. */
  readonly row?: number | undefined;
}

export interface JobListSearch {
  readonly state?: JobState | undefined;
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
  return { state: listedStates.find(state => state === search['state']) };
}

export function jobSearchOf(search: Readonly<Record<string, unknown>>): JobSearch {
  const { show, columns, row } = search;
  return {
    show: typeof show === 'string' && Object.hasOwn(shownQueries, show) ? (show as Shown) : undefined,
    columns: /^(?:|\d{1,3}(?:-\d{1,3})*)$/.test(String(columns ?? '?')) ? String(columns) : undefined,
    row: Number.isSafeInteger(row) && Number(row) > 0 ? Number(row) : undefined,
  };
}

/** Columns of the list's own that are seen at first: more would push what was found out off the screen. */
const columnsSeenMax = 5;

/** Positions of the columns that are seen besides the address. */
export function seenColumns(
  job: Pick<Job, 'columns' | 'address_column'>,
  chosen: string | undefined,
): number[] {
  const all = [...job.columns.keys()].filter(place => place !== job.address_column);
  if (chosen === undefined) return all.slice(0, columnsSeenMax);
  const wanted = new Set(chosen.split('-').filter(Boolean).map(Number));
  return all.filter(place => wanted.has(place));
}

/** How many rows are shown. */
export function shownCount(
  { rows, results }: Pick<Job, 'rows' | 'results'>,
  show: Shown | undefined,
): number {
  if (show === undefined) return rows.total;
  if (show in rows) return rows[show as keyof typeof rows];
  const known = Object.values(results).reduce((sum, count) => sum + count, 0);
  return show === 'none' ? Math.max(0, rows.total - known) : (results[show] ?? 0);
}
