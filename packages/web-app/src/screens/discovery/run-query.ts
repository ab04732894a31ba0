import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { isActive, type Run } from '../work-states.ts';

const askedAgainMs = 4_000;
const runsShownMax = 20;

/** The query of a run. While the run is active, it is also polled, because events can be lost. */
function runQuery(runId: string) {
  return $api.queryOptions(
    'get',
    '/discovery-runs/{run_id}',
    { params: { path: { run_id: runId } } },
    {
      refetchInterval: ({ state: { data } }) => (data && !isActive(data) ? false : askedAgainMs),
    },
  );
}

/** The query of a search's latest runs. */
export function runsQuery(searchId: string) {
  return $api.queryOptions('get', '/discovery-runs', {
    params: { query: { search_id: searchId, limit: runsShownMax } },
  });
}

/** Stores a run from a response or an event, unless a newer version is known. */
export function keepRun(run: Run): void {
  queryClient.setQueryData<Run>(runQuery(run.run_id).queryKey, known =>
    known && known.version > run.version ? known : run,
  );
}

/** Returns the current state of a run with live updates, and calls `onEnded` once when it ends. */
export function useFollowedRun(runId: string, onEnded: (run: Run) => void) {
  const query = useQuery(runQuery(runId));
  const ended = query.data && !isActive(query.data) ? query.data : undefined;
  useServerEvents(ended ? undefined : `/discovery-runs/${encodeURIComponent(runId)}/events`, 'run', keepRun);
  const end = useEffectEvent(onEnded);
  useEffect(() => {
    if (ended) end(ended);
  }, [ended]);
  return query;
}

/** Calls `onEnd` when a search no longer has an active run, regardless of how the page learned it. */
export function useEndOfRun(activeRunId: string | null, onEnd: () => void): void {
  const before = useRef(activeRunId);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (before.current !== null && activeRunId === null) end();
    before.current = activeRunId;
  }, [activeRunId]);
}
