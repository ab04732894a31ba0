import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useServerEvents } from '../../api/server-events.ts';
import { keepRun, runQuery } from './run-query.ts';
import { isUnderWay, type Run } from './run-states.ts';

/** The run as it is now: each change is told as it happens, and its end once. */
export function useFollowedRun(runId: string, onEnded: (run: Run) => void) {
  const query = useQuery(runQuery(runId));
  const ended = query.data && !isUnderWay(query.data) ? query.data : undefined;
  useServerEvents(ended ? undefined : `/discovery-runs/${encodeURIComponent(runId)}/events`, 'run', keepRun);
  const end = useEffectEvent(onEnded);
  useEffect(() => {
    if (ended) end(ended);
  }, [ended]);
  return query;
}

/** Tells when a search has no run under way any more, however that came to be known. */
export function useEndOfRun(activeRunId: string | null, onEnd: () => void): void {
  const before = useRef(activeRunId);
  const end = useEffectEvent(onEnd);
  useEffect(() => {
    if (before.current !== null && activeRunId === null) end();
    before.current = activeRunId;
  }, [activeRunId]);
}
