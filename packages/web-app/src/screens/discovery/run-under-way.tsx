import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Answered } from '../../design/answered.tsx';
import { Button } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { announce } from '../../design/toasts.tsx';
import { keepRun } from './run-query.ts';
import type { Run } from './run-states.ts';
import { outcomeOf, progressSentence, runWords } from './run-words.ts';
import { useFollowedRun } from './use-followed-run.ts';

interface RunUnderWayProps {
  readonly runId: string;
  readonly kind: Run['kind'];
  /** Has the search asked again, which then knows of no run under way. */
  readonly onEnded: () => void;
}

/** A run that goes on by itself: how far it is, and the way to stop it. */
export function RunUnderWay({ runId, kind, onEnded }: RunUnderWayProps) {
  const question = useFollowedRun(runId, run => {
    announce(`${run.state === 'failed' ? 'The run has failed: ' : ''}${outcomeOf(run)}.`);
    onEnded();
  });
  const { doing, many } = runWords[kind];
  return (
    <Card title={`${doing} ${many}`}>
      <Answered question={question} loading="Loading the run">
        {run => (
          <>
            <Progress
              name={`${doing} ${many}`}
              value={run.progress}
              rate={run.per_second === null ? undefined : { noun: many, perSecond: run.per_second }}
              secondsLeft={run.seconds_left}
            />
            <p role="status">{progressSentence(run)} You may go elsewhere: it goes on by itself.</p>
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
        {run.cancel_requested ? 'Stopping' : 'Stop here'}
      </Button>
      <Confirm
        title={`Stop ${doing.toLowerCase()} ${many}?`}
        lead={`The ${many} ${done} so far stay yours and are charged; the rest of the credits comes back.`}
        verb="Stop here"
        otherwise="Go on"
        isDanger
        open={isAsking}
        onOpenChange={setAsking}
        onConfirm={stop}
      />
    </Row>
  );
}
