import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { sandboxHeaders } from '../../api/browser-session.ts';
import { $api } from '../../api/client.ts';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { IconButton, LinkButton } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatMoment, formatNumber, formatShare } from '../../design/format.ts';
import { Page } from '../../design/layout.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { ResultBar } from '../../design/progress.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { useDroppedFiles } from '../../shell/dropped-files.ts';
import { isActive, jobStates } from '../work-states.ts';
import { FileBatch } from './file-batch.tsx';
import { DeleteJob } from './job-actions.tsx';
import { type Job, type JobState, listedStates } from './job-search.ts';
import { useFileBatch } from './use-file-batch.ts';
import styles from './validations.module.css';

const route = getRouteApi('/signed-in/validations');
const jobsPerPage = 25;
const refreshMs = 2_000;

/** The lists that the account has uploaded, newest first. */
export function JobListScreen() {
  const { state, test } = route.useSearch();
  const navigate = route.useNavigate();
  const batch = useFileBatch();
  useDroppedFiles('Drop files to upload them; each becomes a list', batch.add);
  return (
    <Page
      title="Validate lists"
      lead="Upload a list of addresses, see its contents and price, and find out which addresses accept mail."
      actions={
        <LinkButton to="/validations/new" look="primary">
          <Plus size={16} aria-hidden />
          Validate a list
        </LinkButton>
      }
    >
      <p className={styles.soft}>Drop files anywhere on this page.</p>
      <FileBatch batch={batch} />
      <div className={styles.filters}>
        <Select
          label="Status"
          value={state ?? ''}
          onChange={({ target }) =>
            navigate({
              search: { test, state: listedStates.find(each => each === target.value) },
              replace: true,
            })
          }
        >
          <option value="">All</option>
          {listedStates.map(each => (
            <option key={each} value={each}>
              {jobStates[each].name}
            </option>
          ))}
        </Select>
        <Select
          label="Created with"
          value={test ? 'test' : ''}
          onChange={({ target }) =>
            navigate({ search: { state, test: target.value === 'test' || undefined }, replace: true })
          }
        >
          <option value="">Application, live keys</option>
          <option value="test">Test keys</option>
        </Select>
      </div>
      <Jobs key={`${state} ${test}`} state={state} isTest={test === true} />
    </Page>
  );
}

interface JobsProps {
  readonly state: JobState | undefined;
  readonly isTest: boolean;
}

function Jobs({ state, isTest }: JobsProps) {
  const pages = usePages();
  const [unwanted, setUnwanted] = useState<Job>();
  const columns = useMemo(() => (isTest ? testColumns : columnsOf(setUnwanted)), [isTest]);
  const query = {
    limit: jobsPerPage,
    ...(state && { state }),
    ...(pages.cursor && { cursor: pages.cursor }),
  };
  const { data, error, isPending, isError, refetch } = $api.useQuery(
    'get',
    '/validation-jobs',
    { params: { query, ...(isTest && { header: sandboxHeaders() }) } },
    {
      // The pager keeps its position and the focus while a page is loading.
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data: seen } }) => (seen?.jobs.some(isMoving) ? refreshMs : false),
    },
  );
  if (isPending) return <Loading lines={6} name="Loading lists" />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  return (
    <>
      {data.jobs.length === 0 ? (
        <NoJobs state={state} page={pages.number} isTest={isTest} />
      ) : (
        <DataTable name="Lists" columns={columns} rows={data.jobs} rowId={job => job.job_id} />
      )}
      <Pager pages={pages} nextCursor={data.next_cursor} />
      {unwanted && (
        <DeleteJob job={unwanted} open onOpenChange={isOpen => !isOpen && setUnwanted(undefined)} />
      )}
    </>
  );
}

function isMoving(job: Job): boolean {
  return job.state === 'receiving' || isActive(job);
}

function NoJobs({ state, page, isTest }: JobsProps & { readonly page: number }) {
  if (page > 1) return <Empty title="No more lists">The lists on this page were deleted.</Empty>;
  return state ? (
    <Empty title={`No list has the status “${jobStates[state].name}”`}>Choose another status.</Empty>
  ) : isTest ? (
    <Empty title="No test key has created a list">
      A program with a test key can validate lists of addresses of the sandbox, free of charge. Create a test
      key under Account, API keys.
    </Empty>
  ) : (
    <Empty
      title="Upload a file to start"
      action={
        <LinkButton to="/validations/new" look="primary">
          Choose a file or paste addresses
        </LinkButton>
      }
    >
      A CSV or Excel file, or a pasted list, of up to 50,000 rows. You see its contents and price before
      anything is charged.
    </Empty>
  );
}

/** Lists of test keys: a program reads and deletes them with the same key. */
const testColumns: readonly Column<Job>[] = columnsOf(() => undefined)
  .filter(({ id }) => id !== 'delete')
  .map(column =>
    column.id === 'name'
      ? {
          ...column,
          cell: job => (
            <span className={styles.name}>
              {job.name} <Badge>Test</Badge>
            </span>
          ),
        }
      : column,
  );

function columnsOf(onDelete: (job: Job) => void): readonly Column<Job>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      // Leaves room for the state next to it on a phone.
      width: 'min(24rem, 45vw)',
      cell: job => (
        <Link to="/validations/$jobId" params={{ jobId: job.job_id }} className={styles.name}>
          {job.name}
        </Link>
      ),
    },
    {
      id: 'state',
      header: 'Status',
      width: '10rem',
      cell: job => (
        <StateBadge look={jobStates[job.state]}>
          {isActive(job) && ` · ${formatShare(job.progress)}`}
        </StateBadge>
      ),
    },
    { id: 'rows', header: 'Rows', width: '6rem', align: 'end', cell: job => formatNumber(job.rows.total) },
    {
      id: 'results',
      header: 'Results',
      width: 'minmax(9rem, 1fr)',
      cell: job =>
        job.started_at ? <ResultBar counts={job.results} total={job.rows.total} /> : 'Not started',
    },
    { id: 'when', header: 'Uploaded', width: '12rem', cell: job => formatMoment(job.created_at) },
    {
      id: 'delete',
      header: 'Delete',
      width: '5rem',
      cell: job => (
        <IconButton name={`Delete ${job.name}`} disabled={isMoving(job)} onClick={() => onDelete(job)}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      ),
    },
  ];
}
