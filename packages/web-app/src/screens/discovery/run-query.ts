import { $api, queryClient } from '../../api/client.ts';
import { isUnderWay, type Run } from './run-states.ts';

const askedAgainMs = 4_000;
const runsShownMax = 20;

/** A run; while it is under way it is asked again now and then, for events may not come through. */
export function runQuery(runId: string) {
  return $api.queryOptions(
    'get',
    '/discovery-runs/{run_id}',
    { params: { path: { run_id: runId } } },
    {
      refetchInterval: ({ state: { data } }) => (data && !isUnderWay(data) ? false : askedAgainMs),
    },
  );
}

/** The latest runs of a search. */
export function runsQuery(searchId: string) {
  return $api.queryOptions('get', '/discovery-runs', {
    params: { query: { search_id: searchId, limit: runsShownMax } },
  });
}

/** Keeps what an answer or an event says of a run, unless something newer is known. */
export function keepRun(run: Run): void {
  queryClient.setQueryData<Run>(runQuery(run.run_id).queryKey, known =>
    known && known.version > run.version ? known : run,
  );
}
