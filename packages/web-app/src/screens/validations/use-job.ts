import { useEffect, useRef } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { isActive, newerOf } from '../work-states.ts';
import type { Job } from './job-search.ts';

const receivingRefreshMs = 1_000;
/**
 * Events arrive immediately; polling covers what they cannot report: an ended session, or events held back by a proxy.
 */
const followedRefreshMs = 10_000;
/** How often the rows are polled while a job is running. */
const resultsRefreshMs = 2_500;

function jobQuery(jobId: string) {
  return $api.queryOptions('get', '/validation-jobs/{job_id}', { params: { path: { job_id: jobId } } });
}

/** Returns the query key of a job's rows. */
export function rowsKey(jobId: string) {
  return ['validation-rows', jobId] as const;
}

export function summaryQuery(jobId: string) {
  return $api.queryOptions('get', '/validation-jobs/{job_id}/summary', {
    params: { path: { job_id: jobId } },
  });
}

/** Stores a job from a response or an event, unless a newer version is known. */
export function keepJob(job: Job): void {
  queryClient.setQueryData<Job>(jobQuery(job.job_id).queryKey, known => newerOf(known, job));
  // Lists that were fetched earlier are out of date.
  void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'], refetchType: 'none' });
}

/** Invalidates all results of a job; the visible ones are refetched. */
export function refreshResults(jobId: string): void {
  void queryClient.invalidateQueries({ queryKey: rowsKey(jobId) });
  void queryClient.invalidateQueries({ queryKey: summaryQuery(jobId).queryKey });
  void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs/{job_id}/rows'] });
}

/** Returns a job, with live updates while it is running. */
export function useJob(jobId: string) {
  const query = $api.useQuery(
    'get',
    '/validation-jobs/{job_id}',
    { params: { path: { job_id: jobId } } },
    {
      refetchInterval: ({ state: { data } }) => refreshMsOf(data),
      // A slow response may be older than an event that arrived in the meantime.
      structuralSharing: (known, given) => newerOf(known as Job | undefined, given as Job),
    },
  );
  const job = query.data;
  const isFollowed = job !== undefined && isActive(job) && !query.isError;
  useServerEvents<Job>(isFollowed ? `/validation-jobs/${jobId}/events` : undefined, 'job', keepJob);
  useRefreshedResults(jobId, job);
  return query;
}

function refreshMsOf(job: Job | undefined): number | false {
  if (job === undefined) return false;
  if (job.state === 'receiving') return receivingRefreshMs;
  return isActive(job) ? followedRefreshMs : false;
}

/** Refreshes the results shortly after new ones arrive, and once when the job ends. */
function useRefreshedResults(jobId: string, job: Job | undefined): void {
  const wasFollowed = useRef(false);
  const isFollowed = job !== undefined && isActive(job);
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
      void refreshCredits();
    }
    wasFollowed.current = isFollowed;
  }, [jobId, isFollowed]);
}
