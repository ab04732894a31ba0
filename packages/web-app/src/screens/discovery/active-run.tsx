import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Answered } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import type { Run } from '../work-states.ts';
import { keepRun, useFollowedRun } from './run-query.ts';
import { outcomeOf, progressSentence, runWords } from './run-words.ts';

interface ActiveRunProps {
  readonly runId: string;
  readonly kind: Run['kind'];
  /** Refetches the search, which then has no active run. */
  readonly onEnded: () => void;
}

/** The progress of an active run, with a button that cancels it. */
export function ActiveRun({ runId, kind, onEnded }: ActiveRunProps) {
  const question = useFollowedRun(runId, run => {
    announce(`${run.state === 'failed' ? 'The run failed: ' : ''}${outcomeOf(run)}.`);
    onEnded();
  });
  const { doing, many } = runWords[kind];
  return (
    <Card title={`${doing} ${many}`}>
      <Answered question={question} loading="Loading run">
        {run => (
          <>
            <Progress
              name={`${doing} ${many}`}
              value={run.progress}
              rate={run.per_second === null ? undefined : { noun: many, perSecond: run.per_second }}
              secondsLeft={run.seconds_left}
            />
            <p role="status">
              {progressSentence(run)} You can leave this page. The run continues in the background.
            </p>
            <Receipt reserved={run.reserved} spent={run.spent} returned={run.returned} />
            <StopRun run={run} />
          </>
        )}
      </Answered>
    </Card>
  );
}

function StopRun({ run }: { readonly run: Run }) {
  const [isAsking, setAsking] = useState(false);
  const { doing, many, done } = runWords[run.kind];
  async function stop() {
    const { data } = await api.POST('/discovery-runs/{run_id}/cancellation', {
      params: { path: { run_id: run.run_id } },
    });
    if (data) keepRun(data);
  }
  return (
    <Row>
      <Button busy={run.cancel_requested} onClick={() => setAsking(true)}>
        {run.cancel_requested ? 'Stopping' : 'Stop run'}
      </Button>
      <Confirm
        title={`Stop ${doing.toLowerCase()} ${many}?`}
        lead={`The ${many} ${done} so far are kept and charged; the remaining credits are returned.`}
        verb="Stop run"
        otherwise="Continue run"
        isDanger
        open={isAsking}
        onOpenChange={setAsking}
        onConfirm={stop}
      />
    </Row>
  );
}
