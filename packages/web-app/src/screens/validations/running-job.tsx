import { CircleCheckBig, CircleStop } from 'lucide-react';
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
import { waitSentence, waitTitle } from './job-words.ts';
import { keepJob } from './use-job.ts';
import styles from './validations.module.css';

const titles = { queued: 'Queued', running: 'Validating', paused: 'Paused' } as const;

/** A list that is being validated or is paused. */
export function RunningJob({ job }: { readonly job: Job }) {
  const isPaused = job.state === 'paused';
  return (
    <Card title={titles[job.state as keyof typeof titles]} actions={<Steering job={job} />}>
      <Progress
        name="Finished rows"
        value={job.progress}
        rate={job.per_second === null ? undefined : { noun: 'addresses', perSecond: job.per_second }}
        secondsLeft={job.seconds_left}
      />
      <p className={styles.soft}>
        {formatNumber(job.rows.total - job.rows_open)} of {countOf(job.rows.total, 'row is', 'rows are')}{' '}
        finished.
        {isPaused && ' Validation is paused until you resume it; the credits stay reserved.'}
      </p>
      <ResultBar counts={job.results} total={job.rows.total} />
      {!isPaused &&
        job.waiting_for.map(wait => (
          <Notice key={wait.reason} tone="neutral" title={waitTitle(wait)}>
            <span>{waitSentence(wait)}</span>
          </Notice>
        ))}
      <Receipt
        reserved={job.reserved}
        spent={job.spent}
        returned={job.returned}
        spentSoFar={job.spent_so_far}
      />
    </Card>
  );
}

function Steering({ job }: { readonly job: Job }) {
  const [asked, setAsked] = useState<'finish' | 'cancel'>();
  const ask = (action: 'finish' | 'cancel') => (open: boolean) => setAsked(open ? action : undefined);
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
      <Button onClick={() => setAsked('finish')}>
        <CircleCheckBig size={16} aria-hidden />
        Finish now
      </Button>
      <Button onClick={() => setAsked('cancel')}>
        <CircleStop size={16} aria-hidden />
        Cancel
      </Button>
      <Confirm
        title="Finish this validation now?"
        otherwise="Keep validating"
        lead={finishLead(job)}
        verb="Finish now"
        open={asked === 'finish'}
        onOpenChange={ask('finish')}
        onConfirm={async () => {
          const { data } = await api.POST('/validation-jobs/{job_id}/finish', { params });
          if (data) keepJob(data);
        }}
      />
      <Confirm
        title="Cancel this validation?"
        otherwise="Keep validating"
        lead="Nothing more is validated. Results so far are kept and charged; the remaining credits are returned. This cannot be undone, but you can validate the other rows later."
        verb="Cancel validation"
        isDanger
        open={asked === 'cancel'}
        onOpenChange={ask('cancel')}
        onConfirm={async () => {
          const { data } = await api.POST('/validation-jobs/{job_id}/cancellation', { params });
          if (data) keepJob(data);
        }}
      />
      {error && <Failure error={error} />}
    </Row>
  );
}

/** What finishing does to the rows and the credits, by the latest counts. */
function finishLead({ rows_open, reserved, spent_so_far }: Job): string {
  const rows = countOf(rows_open, 'row without a result becomes', 'rows without a result become');
  const spent = `${formatNumber(spent_so_far)} of ${countOf(reserved, 'reserved credit')}`;
  return `${rows} “Unknown”, free of charge. ${spent} will be charged, and ${formatNumber(reserved - spent_so_far)} returned. You can validate these rows again later.`;
}
