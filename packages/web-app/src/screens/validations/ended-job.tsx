import { lazy, Suspense } from 'react';
import { $api } from '../../api/client.ts';
import { Receipt } from '../../design/credits.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import type { Job } from './job-search.ts';
import { emailTypeNames, reasonSentence } from './job-words.ts';
import { ResultCard } from './result-card.tsx';
import styles from './validations.module.css';

const ProviderChart = lazy(async () => ({ default: (await import('./provider-chart.tsx')).ProviderChart }));
const reasonsMax = 8;

/** A list whose validation is over: what came of it. */
export function EndedJob({ job }: { readonly job: Job }) {
  return (
    <>
      {job.failure && (
        <Notice tone="bad" title="It did not come to its end">
          <span>{job.failure.detail}</span>
          <span>
            {job.failure.code === 'upload_broken_off'
              ? 'Send the file again. Nothing was charged.'
              : 'What was found out by then is below, and was charged; the other credits were returned.'}
          </span>
        </Notice>
      )}
      {job.state === 'cancelled' && (
        <Notice tone="neutral" title="It was cancelled">
          <span>What was found out by then is below, and was charged; the other credits were returned.</span>
        </Notice>
      )}
      {job.started_at && <ResultCard job={job} />}
      {job.started_at && <InNumbers job={job} />}
      {job.reserved > 0 && (
        <Card title="Credits">
          <Receipt
            reserved={job.reserved}
            spent={job.spent}
            returned={job.returned}
            receiptId={job.receipt_id}
          />
          <p className={styles.soft}>
            Each different address once; duplicates, broken rows and unknown results are free.
          </p>
        </Card>
      )}
    </>
  );
}

function InNumbers({ job }: { readonly job: Job }) {
  const { data, error, isPending, isError, refetch } = $api.useQuery(
    'get',
    '/validation-jobs/{job_id}/summary',
    {
      params: { path: { job_id: job.job_id } },
    },
  );
  if (isPending) return <Loading lines={6} name="Loading the numbers" />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  if (data.reasons.length === 0) return null;
  return (
    <div className={styles.numbers}>
      <Card title="Results by mail provider">
        <Suspense fallback={<Loading lines={6} name="Loading the chart" />}>
          <ProviderChart summary={data} />
        </Suspense>
      </Card>
      <Card title="Why">
        <ul className={styles.reasons}>
          {data.reasons.slice(0, reasonsMax).map(({ result, reason, rows }) => (
            <li key={`${result} ${reason}`}>
              <strong>{formatNumber(rows)}</strong>
              <span>{reasonSentence(reason)}</span>
            </li>
          ))}
        </ul>
        {data.reasons.length > reasonsMax && (
          <p className={styles.soft}>
            {countOf(data.reasons.length - reasonsMax, 'further reason')} of fewer rows.
          </p>
        )}
        <h3>Kinds of address</h3>
        <ul className={styles.reasons}>
          {data.email_types.map(({ email_type: type, rows }) => (
            <li key={type}>
              <strong>{formatNumber(rows)}</strong>
              <span>{type === null ? 'Not known' : emailTypeNames[type]}</span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
