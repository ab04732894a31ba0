import { $api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { ResultBadge, resultLooks, results } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Cost, Receipt } from '../../design/credits.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Answered, Failure, Notice } from '../../design/states.tsx';

type Job = Schema['ValidationJob'];

interface ImportedJobProps {
  readonly jobId: string;
  readonly importState: Schema['CrmImport']['state'];
}

/** The validation job that an import created: its price before the start, its progress, and its cost. */
export function ImportedJob({ jobId, importState }: ImportedJobProps) {
  const path = { job_id: jobId };
  const { queryKey } = $api.queryOptions('get', '/validation-jobs/{job_id}', { params: { path } });
  const found = $api.useQuery('get', '/validation-jobs/{job_id}', { params: { path } });
  const job = found.data;
  // A waiting job can be started here or by the import itself.
  const mayChange =
    job !== undefined && job.ended_at === null && (job.state !== 'ready' || importState === 'ready');
  useServerEvents<Job>(mayChange ? `/validation-jobs/${jobId}/events` : undefined, 'job', change => {
    queryClient.setQueryData(queryKey, change);
    if (change.ended_at !== null) void refreshCredits();
  });
  return (
    <Card
      title="Validation"
      actions={
        <LinkButton to="/validations/$jobId" params={{ jobId }}>
          Open list
        </LinkButton>
      }
    >
      <Answered question={found} loading="Loading validation job">
        {known => <JobState job={known} />}
      </Answered>
    </Card>
  );
}

function JobState({ job }: { readonly job: Job }) {
  return (
    <>
      {job.state === 'ready' && <ReadyJob job={job} />}
      {['queued', 'running', 'paused'].includes(job.state) && (
        <Progress
          name="Progress of the validation"
          value={job.progress}
          rate={job.per_second === null ? undefined : { noun: 'addresses', perSecond: job.per_second }}
          secondsLeft={job.seconds_left}
        />
      )}
      {job.failure && (
        <Notice tone="bad" title="Validation failed">
          {job.failure.detail}
        </Notice>
      )}
      {job.ended_at && <EndedJob job={job} />}
    </>
  );
}

function ReadyJob({ job }: { readonly job: Job }) {
  const key = useIdempotencyKey();
  const start = $api.useMutation('post', '/validation-jobs/{job_id}/start', {
    onError: error => key.answered(error),
    async onSuccess(started) {
      key.answered();
      const { queryKey } = $api.queryOptions('get', '/validation-jobs/{job_id}', {
        params: { path: { job_id: job.job_id } },
      });
      queryClient.setQueryData(queryKey, started);
      await refreshCredits();
    },
  });
  const { rows } = job;
  function begin() {
    start.mutate({
      params: { path: { job_id: job.job_id }, header: { 'Idempotency-Key': key.keyOf(job.job_id) } },
    });
  }
  return (
    <>
      <p>
        {countOf(job.addresses, 'distinct address', 'distinct addresses')} in {countOf(rows.total, 'row')}
        {rows.blank > 0 && `, ${formatNumber(rows.blank)} without an address`}
        {rows.duplicate > 0 && `, ${countOf(rows.duplicate, 'duplicate')}`}
        {rows.broken > 0 && `, ${formatNumber(rows.broken)} malformed`}.
      </p>
      <Cost max={job.cost_max} note="Unknown results are free; their credits are returned." />
      {start.isError && <Failure error={start.error} />}
      <Row>
        <Button look="primary" busy={start.isPending} onClick={begin}>
          Start validation
        </Button>
      </Row>
    </>
  );
}

function EndedJob({ job }: { readonly job: Job }) {
  const found = results.filter(result => (job.results[result] ?? 0) > 0);
  return (
    <>
      {found.length > 0 && (
        <Row>
          {found.map(result => (
            <span key={result} title={resultLooks[result].sentence}>
              <ResultBadge result={result} /> {formatNumber(job.results[result] ?? 0)}
            </span>
          ))}
        </Row>
      )}
      <Receipt reserved={job.reserved} spent={job.spent} returned={job.returned} receiptId={job.receipt_id} />
    </>
  );
}
