import { $api } from '../../api/client.ts';
import { newestFirst, type Work, workOfExport, workOfJob, workOfRun } from './recent-work.ts';

const shownMax = 8;
/** While something is under way, it is asked about so often. */
const followMs = 5_000;

export interface RecentWorkState {
  readonly work: readonly Work[];
  readonly isPending: boolean;
  /** Whether nothing was ever begun, as far as all services could say. */
  readonly isEmpty: boolean;
  /** What could not be fetched, where something could not. */
  readonly error: unknown;
  readonly refetch: () => void;
}

/** Jobs, runs and exports, asked for apart, so that one that is away hides none of the others. */
export function useRecentWork(): RecentWorkState {
  const query = { params: { query: { limit: shownMax } } };
  const jobs = $api.useQuery('get', '/validation-jobs', query, {
    select: ({ jobs: list }) => list.map(workOfJob),
    refetchInterval: ({ state }) => followIf(state.data?.jobs.some(job => workOfJob(job).isUnderWay)),
  });
  const runs = $api.useQuery('get', '/discovery-runs', query, {
    select: ({ runs: list }) => list.map(workOfRun),
    refetchInterval: ({ state }) => followIf(state.data?.runs.some(run => workOfRun(run).isUnderWay)),
  });
  const made = $api.useQuery('get', '/exports', query, {
    select: ({ exports: list }) => list.map(workOfExport),
    refetchInterval: ({ state }) => followIf(state.data?.exports.some(each => workOfExport(each).isUnderWay)),
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

function followIf(isUnderWay: boolean | undefined): number | false {
  return isUnderWay ? followMs : false;
}
