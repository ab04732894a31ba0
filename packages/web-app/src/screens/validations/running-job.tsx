import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { PauseButton } from '../../design/pause-button.tsx';
import { Progress } from '../../design/progress.tsx';
import { ResultBar } from '../../design/result-bar.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import type { Job } from './job-search.ts';
import { keepJob } from './use-job.ts';
import styles from './validations.module.css';

const titles = { queued: 'About to begin', running: 'Validating', paused: 'Paused' } as const;

/** A list that is being validated, or waits for somebody to let it go on. */
export function RunningJob({ job }: { readonly job: Job }) {
  const isPaused = job.state === 'paused';
  return (
    <Card title={titles[job.state as keyof typeof titles]} actions={<Steering job={job} />}>
      <Progress
        name="Addresses with a verdict"
        value={job.progress}
        rate={job.per_second === null ? undefined : { noun: 'addresses', perSecond: job.per_second }}
        secondsLeft={job.seconds_left}
      />
      <p className={styles.soft}>
        {formatNumber(job.done)} of {countOf(job.addresses, 'address has', 'addresses have')} a verdict.
        {isPaused && ' Nobody is asked about the rest until you resume; the credits stay set aside.'}
      </p>
      <ResultBar counts={job.results} total={job.rows.total} />
      {job.waiting > 0 && !isPaused && (
        <Notice
          tone="neutral"
          title={`${countOf(job.waiting, 'address waits for its mail server', 'addresses wait for their mail servers')}`}
        >
          <span>
            These servers ask everybody whom they do not know to come back later (greylisting). We do so by
            ourselves; it can take up to an hour and a half. Nothing is needed from you.
          </span>
        </Notice>
      )}
      <Receipt reserved={job.reserved} spent={job.spent} returned={job.returned} />
    </Card>
  );
}

function Steering({ job }: { readonly job: Job }) {
  const [isCancelling, setCancelling] = useState(false);
  const params = { path: { job_id: job.job_id } };
  const pause = $api.useMutation('post', '/validation-jobs/{job_id}/pause', { onSuccess: keepJob });
  const resume = $api.useMutation('post', '/validation-jobs/{job_id}/resumption', { onSuccess: keepJob });
  const error = pause.error ?? resume.error;
  return (
    <Row>
      <PauseButton
        isPaused={job.state === 'paused'}
        busy={pause.isPending || resume.isPending}
        onPause={() => pause.mutate({ params })}
        onResume={() => resume.mutate({ params })}
      />
      <Button onClick={() => setCancelling(true)}>
        <CircleStop size={16} aria-hidden />
        Cancel
      </Button>
      <Confirm
        title="Cancel the rest?"
        lead="Nothing more is validated. What was validated stays and is charged; the other credits return. This cannot be taken back."
        verb="Cancel the rest"
        isDanger
        open={isCancelling}
        onOpenChange={setCancelling}
        onConfirm={async () => {
          const { data } = await api.POST('/validation-jobs/{job_id}/cancellation', { params });
          if (data) keepJob(data);
        }}
      />
      {error && <Failure error={error} />}
    </Row>
  );
}
