import { $api, type Schema } from '../../api/client.ts';
import { countOf, formatNumber } from '../../design/format.ts';
import type { StateLook } from '../../design/looks.ts';
import { exportState, isActive as isExportActive } from '../exports/export-words.ts';
import { isActive, jobStates, type Run, runStates } from '../work-states.ts';

/** A list, run or export of the account. */
export interface Work {
  /** The id of the job, of the run's search, or of the export. */
  readonly id: string;
  readonly kind: 'job' | 'people' | 'companies' | 'lookalikes' | 'export';
  /** A key that is unique among all work. */
  readonly key: string;
  readonly name: string;
  /** The kind of work and its size. */
  readonly about: string;
  readonly look: StateLook;
  readonly isActive: boolean;
  /** Between 0 and 1. */
  readonly progress: number;
  readonly createdAt: string;
}

type Job = Schema['ValidationJob'];
type Export = Schema['Export'];

export function workOfJob(job: Job): Work {
  return {
    id: job.job_id,
    key: job.job_id,
    kind: 'job',
    name: job.name,
    about: `List, ${countOf(job.addresses, 'address', 'addresses')}`,
    look: jobStates[job.state],
    isActive: isActive(job),
    progress: job.progress,
    createdAt: job.created_at,
  };
}

const runNames: Readonly<Record<Run['kind'], string>> = {
  people: 'People saved from a search',
  companies: 'Companies saved from a search',
  lookalikes: 'Lookalike companies',
};

export function workOfRun(run: Run): Work {
  return {
    id: run.search_id,
    key: run.run_id,
    kind: run.kind,
    name: runNames[run.kind],
    about: `${formatNumber(run.delivered)} of ${countOf(run.requested, 'record')}`,
    look: runStates[run.state],
    isActive: isActive(run),
    progress: run.progress,
    createdAt: run.created_at,
  };
}

const targets: Readonly<Record<Export['target'], string>> = {
  csv: 'Export to a file',
  webhook: 'Export to a webhook',
  crm: 'Export to a CRM',
};

export function workOfExport(made: Export): Work {
  return {
    id: made.export_id,
    key: made.export_id,
    kind: 'export',
    name: made.name,
    about: targets[made.target],
    look: exportState(made),
    isActive: isExportActive(made),
    progress: made.progress,
    createdAt: made.created_at,
  };
}

/** Running work comes first, then the newest. */
export function newestFirst(work: readonly Work[], countMax: number): Work[] {
  return work
    .toSorted(
      (one, other) =>
        Number(other.isActive) - Number(one.isActive) || other.createdAt.localeCompare(one.createdAt),
    )
    .slice(0, countMax);
}

const shownMax = 8;
/** How often running work is polled. */
const followMs = 5_000;

export interface RecentWorkState {
  readonly work: readonly Work[];
  readonly isPending: boolean;
  /** Whether the account has never started any work; false if a service does not answer. */
  readonly isEmpty: boolean;
  /** The first error if a list could not be fetched. */
  readonly error: unknown;
  readonly refetch: () => void;
}

/** Fetches jobs, runs and exports separately, so that one unavailable service does not hide the others. */
export function useRecentWork(): RecentWorkState {
  const query = { params: { query: { limit: shownMax } } };
  const jobs = $api.useQuery('get', '/validation-jobs', query, {
    select: ({ jobs: list }) => list.map(workOfJob),
    refetchInterval: ({ state }) => followIf(state.data?.jobs.some(job => workOfJob(job).isActive)),
  });
  const runs = $api.useQuery('get', '/discovery-runs', query, {
    select: ({ runs: list }) => list.map(workOfRun),
    refetchInterval: ({ state }) => followIf(state.data?.runs.some(run => workOfRun(run).isActive)),
  });
  const made = $api.useQuery('get', '/exports', query, {
    select: ({ exports: list }) => list.map(workOfExport),
    refetchInterval: ({ state }) => followIf(state.data?.exports.some(each => workOfExport(each).isActive)),
  });
  const questions = [jobs, runs, made];
  const work = newestFirst(
    questions.flatMap(({ data }) => data ?? []),
    shownMax,
  );
  return {
    work,
    isPending: questions.some(({ isPending }) => isPending),
    isEmpty: work.length === 0 && questions.every(({ isSuccess }) => isSuccess),
    error: questions.find(({ isError }) => isError)?.error ?? undefined,
    refetch() {
      for (const question of questions) if (question.isError) void question.refetch();
    },
  };
}

function followIf(isActive: boolean | undefined): number | false {
  return isActive ? followMs : false;
}
