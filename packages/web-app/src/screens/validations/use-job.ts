import { useEffect, useRef } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { creditsHaveMoved } from '../../api/credits-have-moved.ts';
import { newerOf } from '../../api/newer-of.ts';
import { useServerEvents } from '../../api/server-events.ts';
import type { Job } from './job-search.ts';
import { isUnderWay } from './job-states.ts';

const receivingRefreshMs = 1_000;
/** Events tell at once; asking finds what they cannot tell: that the session has ended, or a proxy holds them back. */
const followedRefreshMs = 10_000;
/** While a job runs, what was found out about its rows is looked at again so often. */
const resultsRefreshMs = 2_500;

function jobQuery(jobId: string) {
  return $api.queryOptions('get', '/validation-jobs/{job_id}', { params: { path: { job_id: jobId } } });
}

/** Where what a job's rows say is kept. */
export function rowsKey(jobId: string) {
  return ['validation-rows', jobId] as const;
}

export function summaryQuery(jobId: string) {
  return $api.queryOptions('get', '/validation-jobs/{job_id}/summary', {
    params: { path: { job_id: jobId } },
  });
}

/** Keeps what an answer or an event says of a job, unless something newer is known. */
export function keepJob(job: Job): void {
  queryClient.setQueryData<Job>(jobQuery(job.job_id).queryKey, known => newerOf(known, job));
  // A list that was seen before says something older.
  void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'], refetchType: 'none' });
}

/** Has everything that the rows of a job say asked for again, where it is seen. */
export function refreshResults(jobId: string): void {
  void queryClient.invalidateQueries({ queryKey: rowsKey(jobId) });
  void queryClient.invalidateQueries({ queryKey: summaryQuery(jobId).queryKey });
  void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs/{job_id}/rows'] });
}

/** A job as it is; while it is under way, as it becomes. */
export function useJob(jobId: string) {
  const query = $api.useQuery(
    'get',
    '/validation-jobs/{job_id}',
    { params: { path: { job_id: jobId } } },
    {
      refetchInterval: ({ state: { data } }) => refreshMsOf(data),
      // An answer that took its time may be older than an event that came meanwhile.
      structuralSharing: (known, given) => newerOf(known as Job | undefined, given as Job),
    },
  );
  const job = query.data;
  const isFollowed = job !== undefined && isUnderWay(job) && !query.isError;
  useServerEvents<Job>(isFollowed ? `/validation-jobs/${jobId}/events` : undefined, 'job', keepJob);
  useRefreshedResults(jobId, job);
  return query;
}

function refreshMsOf(job: Job | undefined): number | false {
  if (job === undefined) return false;
  if (job.state === 'receiving') return receivingRefreshMs;
  return isUnderWay(job) ? followedRefreshMs : false;
}

/** Some moments after something was found out, and once when all was. */
function useRefreshedResults(jobId: string, job: Job | undefined): void {
  const wasFollowed = useRef(false);
  const isFollowed = job !== undefined && isUnderWay(job);
  const done = job?.done;
  const next = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (isFollowed && done !== undefined) {
      next.current ??= setTimeout(() => {
        next.current = undefined;
        refreshResults(jobId);
      }, resultsRefreshMs);
    }
  }, [jobId, isFollowed, done]);
  useEffect(() => () => clearTimeout(next.current), []);
  useEffect(() => {
    if (wasFollowed.current && !isFollowed) {
      refreshResults(jobId);
      void creditsHaveMoved();
    }
    wasFollowed.current = isFollowed;
  }, [jobId, isFollowed]);
}
