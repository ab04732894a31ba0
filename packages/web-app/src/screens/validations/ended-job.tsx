import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { resultLooks, results } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { countOf, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { countFor, ResultBar, ShareLine } from '../../design/progress.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { providerName } from '../../verdicts/providers.ts';
import { CompareJobs } from './compare-jobs.tsx';
import type { Job } from './job-search.ts';
import { emailTypeNames, reasonSentence } from './job-words.ts';
import type { ResultLine } from './result-chart.tsx';
import { keepJob } from './use-job.ts';
import styles from './validations.module.css';

const ResultChart = lazy(async () => ({ default: (await import('./result-chart.tsx')).ResultChart }));
const reasonsMax = 8;

interface EndedJobProps {
  readonly job: Job;
  /** The rows; near the results, which filter them. */
  readonly children: ReactNode;
}

/** The results of a list whose validation has ended. */
export function EndedJob({ job, children }: EndedJobProps) {
  return (
    <>
      {job.failure && (
        <Notice tone="bad" title="The validation failed">
          <span>{job.failure.detail}</span>
          <span>
            {job.failure.code === 'upload_broken_off'
              ? 'Upload the file again. Nothing was charged.'
              : 'Results so far are below and were charged; the remaining credits were returned.'}
          </span>
        </Notice>
      )}
      {job.state === 'cancelled' && (
        <Notice tone="neutral" title="The validation was canceled">
          <span>Results so far are below and were charged; the remaining credits were returned.</span>
        </Notice>
      )}
      {job.started_at && <ResultCard job={job} />}
      {job.started_at && <RemainingRows job={job} />}
      {children}
      {job.started_at && <InNumbers job={job} />}
      {job.started_at && <CompareJobs job={job} />}
      {job.reserved > 0 && (
        <Card title="Credits">
          <Receipt
            reserved={job.reserved}
            spent={job.spent}
            returned={job.returned}
            receiptId={job.receipt_id}
          />
          <p className={styles.soft}>
            One credit per distinct address; duplicates, malformed rows and unknown results are free.
          </p>
        </Card>
      )}
    </>
  );
}

/** Makes a new list of the rows that are unknown or have no result. */
function RemainingRows({ job }: { readonly job: Job }) {
  const navigate = useNavigate();
  const key = useIdempotencyKey();
  const again = $api.useMutation('post', '/validation-jobs/{job_id}/revalidation', {
    onSettled: (_made, error) => key.answered(error ?? undefined),
    onSuccess(made) {
      keepJob(made);
      announce('List created from the remaining rows.');
      void navigate({ to: '/validations/$jobId', params: { jobId: made.job_id } });
    },
  });
  function begin() {
    const path = { job_id: job.job_id };
    again.mutate({ params: { path, header: { 'Idempotency-Key': key.keyOf(path) } } });
  }
  const rows = countFor(job.results, 'unknown') + job.rows_open;
  if (rows === 0) return null;
  return (
    <Card title="Remaining rows">
      <p>
        {countOf(rows, 'row has', 'rows have')} no clear result, and {rows === 1 ? 'was' : 'were'} free.
        Validate only {rows === 1 ? 'this row' : 'these rows'}, as a new list. You see its price before it
        starts.
      </p>
      {again.isError && <Failure error={again.error} />}
      <Row>
        <Button busy={again.isPending} onClick={begin}>
          <RotateCcw size={16} aria-hidden />
          Validate remaining rows
        </Button>
      </Row>
    </Card>
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
  if (isPending) return <Loading lines={6} name="Loading summary" />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  if (data.reasons.length === 0) return null;
  return (
    <div className={styles.numbers}>
      <ChartCard title="Results by mail provider" noun="Provider" lines={providerLines(data)} />
      <ChartCard title="Results by domain" noun="Domain" lines={domainLines(data)} />
      <Card title="Reasons">
        <Counts
          counts={data.reasons.slice(0, reasonsMax).map(({ result, reason, rows }) => ({
            id: `${result} ${reason}`,
            name: reasonSentence(reason),
            rows,
          }))}
          total={rowsOf(data.reasons)}
        />
        {data.reasons.length > reasonsMax && (
          <p className={styles.soft}>
            {countOf(data.reasons.length - reasonsMax, 'more reason')} with fewer rows.
          </p>
        )}
      </Card>
      <Card title="Address types">
        <Counts
          counts={data.email_types.map(({ email_type: type, rows }) => ({
            id: type ?? '',
            name: type === null ? 'Unknown' : emailTypeNames[type],
            rows,
          }))}
          total={rowsOf(data.email_types)}
        />
      </Card>
    </div>
  );
}

interface ChartCardProps {
  readonly title: string;
  readonly noun: string;
  readonly lines: readonly ResultLine[];
}

function ChartCard({ title, noun, lines }: ChartCardProps) {
  return (
    <Card title={title}>
      <Suspense fallback={<Loading lines={6} name="Loading chart" />}>
        <ResultChart name={title} noun={noun} lines={lines} />
      </Suspense>
    </Card>
  );
}

type Summary = Schema['ValidationJobSummary'];

function providerLines({ providers, other_providers: others }: Summary): ResultLine[] {
  const named = providers.map(({ provider, ...line }) => ({
    ...line,
    name: provider === null ? 'Unknown provider' : providerName(provider),
  }));
  return others ? [...named, { ...others, name: countOf(others.providers, 'other') }] : named;
}

function domainLines({ domains, other_domains: others }: Summary): ResultLine[] {
  const named = domains.map(({ domain, ...line }) => ({ ...line, name: domain }));
  return others ? [...named, { ...others, name: countOf(others.domains, 'other') }] : named;
}

interface CountsProps {
  readonly counts: readonly { readonly id: string; readonly name: string; readonly rows: number }[];
  readonly total: number;
}

/** Counts of rows, each with a bar for its share. */
function Counts({ counts, total }: CountsProps) {
  return (
    <ul className={styles.shares}>
      {counts.map(({ id, name, rows }) => (
        <li key={id}>
          <span>{name}</span>
          <strong>{formatNumber(rows)}</strong>
          <ShareLine value={rows / total} />
        </li>
      ))}
    </ul>
  );
}

function rowsOf(counts: readonly { readonly rows: number }[]): number {
  return counts.reduce((sum, { rows }) => sum + rows, 0);
}

const route = getRouteApi('/signed-in/validations/$jobId');

/** The number of rows with each result, each with a link to those rows. */
function ResultCard({ job }: { readonly job: Job }) {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const sum = results.reduce((all, result) => all + countFor(job.results, result), 0);
  return (
    <Card title="Results">
      <ResultBar counts={job.results} total={job.rows.total} isDecoration />
      <ul className={styles.legend}>
        {results.map(result => {
          const { name, tone, sentence } = resultLooks[result];
          const isShown = show === result;
          return (
            <li key={result}>
              <button
                type="button"
                className={styles.tile}
                aria-pressed={isShown}
                onClick={() =>
                  navigate({
                    search: before => ({ ...before, show: isShown ? undefined : result }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              >
                <span className={styles.tileName}>
                  <span className={styles.dot} data-tone={tone} aria-hidden />
                  {name}
                </span>
                <strong>{formatNumber(countFor(job.results, result))}</strong>
                <span className={styles.soft}>
                  {formatShare(sum === 0 ? 0 : countFor(job.results, result) / sum)} of results
                </span>
                <span className={styles.tileSentence}>{sentence}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
