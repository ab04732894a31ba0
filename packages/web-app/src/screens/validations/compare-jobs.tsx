import { getRouteApi } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { addressWithAccount } from '../../api/browser-session.ts';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { ResultBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { DownloadLink } from '../../design/downloads.tsx';
import { Select } from '../../design/field.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Answered, Failure } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { hasEnded } from '../work-states.ts';
import type { Job } from './job-search.ts';
import { reasonSentence } from './job-words.ts';
import styles from './validations.module.css';

const route = getRouteApi('/signed-in/validations/$jobId');
const offeredMax = 100;
const pageRows = 50;

/** Compares the results of a list with those of an earlier validation, which the user chooses. */
export function CompareJobs({ job }: { readonly job: Job }) {
  const { earlier: earlierId } = route.useSearch();
  const navigate = route.useNavigate();
  const { data } = $api.useQuery('get', '/validation-jobs', { params: { query: { limit: offeredMax } } });
  const others = data?.jobs.filter(
    other => other.test === job.test && other.done > 0 && hasEnded(other) && endedAt(other) < endedAt(job),
  );
  // The URL can also name a job beyond the newest ones.
  const isOffered = earlierId === undefined || others?.some(({ job_id }) => job_id === earlierId);
  const named = $api.useQuery(
    'get',
    '/validation-jobs/{job_id}',
    { params: { path: { job_id: earlierId ?? '' } } },
    { enabled: !isOffered },
  );
  // Nothing to choose from, or not known yet.
  if (!others?.length && earlierId === undefined) return null;
  return (
    <Card title="Compare">
      <Select
        label="Compare with an earlier validation"
        hint="Shows which addresses have another result now."
        value={earlierId ?? ''}
        onChange={({ target }) =>
          navigate({
            search: before => ({ ...before, earlier: target.value || undefined }),
            replace: true,
            resetScroll: false,
          })
        }
      >
        <option value="">No comparison</option>
        {!isOffered && (
          <option value={earlierId}>{named.data ? nameOf(named.data) : 'Another validation'}</option>
        )}
        {others?.map(other => (
          <option key={other.job_id} value={other.job_id}>
            {nameOf(other)}
          </option>
        ))}
      </Select>
      {earlierId !== undefined && <Comparison key={earlierId} jobId={job.job_id} earlierId={earlierId} />}
    </Card>
  );
}

function nameOf(job: Job): string {
  return `${job.name}, ${formatMoment(endedAt(job))}`;
}

/** When a job ended; times in this form sort like their text. */
function endedAt({ ended_at, created_at }: Job): string {
  return ended_at ?? created_at;
}

interface ComparisonProps {
  readonly jobId: string;
  readonly earlierId: string;
}

function Comparison({ jobId, earlierId }: ComparisonProps) {
  const question = $api.useQuery('get', '/validation-jobs/{job_id}/comparison', {
    params: { path: { job_id: jobId }, query: { earlier_job_id: earlierId } },
  });
  return (
    <Answered question={question} loading="Comparing" lines={4}>
      {comparison => (
        <>
          <p role="status">{sentenceOf(comparison)}</p>
          {comparison.changed > 0 && (
            <>
              <ul className={styles.changes} aria-label="Changes by result">
                {comparison.changes.map(({ from, to, addresses }) => (
                  <li key={`${from} ${to}`}>
                    <strong>{formatNumber(addresses)}</strong>
                    <ResultBadge result={from} />
                    <ArrowRight size={16} aria-label="to" />
                    <ResultBadge result={to} />
                  </li>
                ))}
              </ul>
              <ChangedAddresses jobId={jobId} earlierId={earlierId} />
            </>
          )}
        </>
      )}
    </Answered>
  );
}

function sentenceOf({ changed, same, open, added, removed }: Schema['ValidationJobComparison']): string {
  const rest = [
    `${formatNumber(same)} unchanged`,
    added > 0 && `${formatNumber(added)} only in this list`,
    removed > 0 && `${formatNumber(removed)} only in the earlier list`,
    open > 0 && `${formatNumber(open)} without a result in one of them`,
  ];
  return `${countOf(changed, 'address has', 'addresses have')} another result; ${rest.filter(Boolean).join(', ')}.`;
}

type Changed = Schema['ChangedAddress'];

function ChangedAddresses({ jobId, earlierId }: ComparisonProps) {
  const query = $api.useInfiniteQuery(
    'get',
    '/validation-jobs/{job_id}/comparison/addresses',
    { params: { path: { job_id: jobId }, query: { earlier_job_id: earlierId, limit: pageRows } } },
    byCursor,
  );
  const rows = query.data?.pages.flatMap(({ addresses }) => addresses) ?? [];
  const file = addressWithAccount(`/validation-jobs/${jobId}/comparison/addresses.csv`, {
    earlier_job_id: earlierId,
  });
  return (
    <>
      {rows.length > 0 && (
        <DataTable name="Changed addresses" columns={columns} rows={rows} rowId={({ email }) => email} />
      )}
      {query.isError && <Failure error={query.error} onRetry={query.refetch} />}
      <Row>
        {query.hasNextPage && (
          <Button busy={query.isFetching} onClick={() => query.fetchNextPage()}>
            Show more addresses
          </Button>
        )}
        <DownloadLink href={file}>Download changed addresses</DownloadLink>
      </Row>
    </>
  );
}

const columns: readonly Column<Changed>[] = [
  { id: 'email', header: 'Email address', width: 'minmax(12rem, 1fr)', cell: ({ email }) => email },
  {
    id: 'from',
    header: 'Before',
    width: '11rem',
    cell: ({ from }) => <ResultBadge result={from.result} />,
  },
  {
    id: 'to',
    header: 'Now',
    width: '11rem',
    cell: ({ to }) => <ResultBadge result={to.result} />,
  },
  {
    id: 'reason',
    header: 'Reason',
    width: '20rem',
    cell: ({ to }) => reasonSentence(to.reason),
  },
];
