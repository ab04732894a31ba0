import { CircleStop } from 'lucide-react';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { Button, PauseButton } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Progress, ResultBar } from '../../design/progress.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import type { Job } from './job-search.ts';
import { keepJob } from './use-job.ts';
import styles from './validations.module.css';

const titles = { queued: 'Queued', running: 'Validating', paused: 'Paused' } as const;

/** A list that is being validated or is paused. */
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
        {isPaused && ' Validation is paused until you resume it; the credits stay reserved.'}
      </p>
      <ResultBar counts={job.results} total={job.rows.total} />
      {job.waiting > 0 && !isPaused && (
        <Notice
          tone="neutral"
          title={`${countOf(job.waiting, 'address waits for its mail server', 'addresses wait for their mail servers')}`}
        >
          <span>
            These servers ask unknown senders to retry later (greylisting). We retry automatically; this can
            take up to an hour and a half. You do not need to do anything.
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
        title="Cancel this validation?"
        otherwise="Keep validating"
        lead="Nothing more is validated. Results so far are kept and charged; the remaining credits are returned. This cannot be undone."
        verb="Cancel validation"
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
