import { Play } from 'lucide-react';
import { useMemo } from 'react';
import { $api } from '../../api/client.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { Checkbox } from '../../design/field.tsx';
import { countOf, formatNumber, formatOctets, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import type { Job } from './job-search.ts';
import { delimiterName, sheetWords } from './job-words.ts';
import { keepJob, refreshResults } from './use-job.ts';
import styles from './validations.module.css';

/** A list before its start: what it contains, and what it would cost. */
export function ReadyJob({ job }: { readonly job: Job }) {
  const change = useReading(job.job_id);
  return (
    <>
      <StartCard job={job} isReadAnew={change.isPending} />
      <ReadCard job={job} change={change} />
    </>
  );
}

/** Changes how the list is read. */
function useReading(jobId: string) {
  return $api.useMutation('put', '/validation-jobs/{job_id}', {
    onSuccess(changed) {
      keepJob(changed);
      refreshResults(jobId);
    },
  });
}

interface StartCardProps {
  readonly job: Job;
  /** Whether the list is being read again, so that the counts and the price are about to change. */
  readonly isReadAnew: boolean;
}

function StartCard({ job, isReadAnew }: StartCardProps) {
  const start = $api.useMutation('post', '/validation-jobs/{job_id}/start');
  const path = { job_id: job.job_id };
  const chosen = job.columns.length > 1 ? job.columns[job.address_column ?? -1] : undefined;
  function begin() {
    start.mutate(
      // A job starts only once, so its id is a sufficient key.
      { params: { path, header: { 'Idempotency-Key': `start-${job.job_id}` } } },
      {
        onSuccess(started) {
          keepJob(started);
          void refreshCredits();
        },
      },
    );
  }
  return (
    <Card title="Ready to start">
      {chosen && (
        <p>
          The email column is <strong className={styles.long}>{chosen.name}</strong>. Change it below if that
          is wrong.
        </p>
      )}
      <Counts job={job} />
      <Cost
        max={job.cost_max}
        note={`for ${countOf(job.addresses, 'distinct address', 'distinct addresses')}; unknown results are free.`}
      />
      {start.isError && <Failure error={start.error} />}
      <Row>
        <Button look="primary" busy={start.isPending || isReadAnew} onClick={begin}>
          <Play size={16} aria-hidden />
          Start validation
        </Button>
        <span className={styles.soft}>
          You can close this page. The validation continues in the background.
        </span>
      </Row>
    </Card>
  );
}

/** The counts of the list's rows, each with its effect on the price. */
function Counts({ job: { addresses, rows } }: { readonly job: Job }) {
  const counts = [
    ['Addresses', addresses, 'distinct, each validated once'],
    ['Duplicates', rows.duplicate, 'rows with the same address as an earlier row; free'],
    ['Malformed', rows.broken, 'rows with an invalid address; free'],
    ['Blank', rows.blank, 'rows without an address; free'],
  ] as const;
  return (
    <dl className={styles.counts}>
      {counts.map(([name, count, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{formatNumber(count)}</strong>
            <span>{meaning}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ReadCardProps {
  readonly job: Job;
  readonly change: ReturnType<typeof useReading>;
}

/** Shows how the list was read, and lets the user change it. */
function ReadCard({ job, change }: ReadCardProps) {
  const { file } = job;
  // Shows the requested change immediately, and reverts it if it is refused.
  const wanted = change.isPending ? change.variables.body : undefined;
  function read(body: { address_column?: number; has_header?: boolean }) {
    change.mutate({ params: { path: { job_id: job.job_id } }, body });
  }
  return (
    <Card title="Detected format">
      {file && (
        <p className={styles.soft}>
          {formatOctets(file.octets)},{' '}
          {file.format === 'xlsx'
            ? sheetWords(file)
            : `delimited by ${delimiterName(file.delimiter)}, ${file.encoding.toUpperCase()}.`}
        </p>
      )}
      {file?.encoding_is_guess && (
        <Notice tone="caution" title="The encoding is a guess">
          <span>
            The file does not declare its encoding, so it was read as {file.encoding}. Check the samples: if
            letters are wrong, upload the file again and choose the encoding under “Format”.
          </span>
          <LinkButton to="/validations/new">Upload again</LinkButton>
        </Notice>
      )}
      {file && (
        <Checkbox
          label="The first line contains column names"
          checked={wanted?.has_header ?? file.has_header}
          onChange={({ target }) => read({ has_header: target.checked })}
        />
      )}
      {change.isError && <Failure error={change.error} />}
      <ColumnChoice
        job={job}
        chosen={wanted?.address_column ?? job.address_column}
        onChoose={position => read({ address_column: position })}
      />
    </Card>
  );
}

interface ColumnChoiceProps {
  readonly job: Job;
  readonly chosen: number | null;
  readonly onChoose: (position: number) => void;
}

type PositionedColumn = Job['columns'][number] & { readonly position: number };

function ColumnChoice({ job, chosen, onChoose }: ColumnChoiceProps) {
  const { job_id: jobId } = job;
  const positioned = useMemo(
    () => job.columns.map((column, position) => ({ ...column, position })),
    [job.columns],
  );
  const columns = useMemo<readonly Column<PositionedColumn>[]>(
    () => [
      {
        id: 'name',
        header: 'Email column',
        width: 'minmax(11rem, 22rem)',
        cell: ({ name, position }) => (
          <label className={styles.pick}>
            <input
              type="radio"
              name={`address-column-${jobId}`}
              checked={position === chosen}
              onChange={() => onChoose(position)}
            />
            <span>{name}</span>
          </label>
        ),
      },
      {
        id: 'samples',
        header: 'Samples',
        width: 'minmax(14rem, 1fr)',
        cell: ({ samples }) => <Samples samples={samples} />,
      },
      {
        id: 'share',
        header: 'Addresses',
        width: '7rem',
        align: 'end',
        cell: ({ address_share: share }) => formatShare(share),
      },
    ],
    [jobId, chosen, onChoose],
  );
  return (
    <div className={styles.columns}>
      <DataTable
        name="Columns"
        columns={columns}
        rows={positioned}
        rowId={({ position }) => String(position)}
      />
    </div>
  );
}

const sampleCharactersMax = 60;

function Samples({ samples }: { readonly samples: readonly string[] }) {
  if (samples.length === 0) return <span className={styles.soft}>empty in the first rows</span>;
  return (
    <span className={styles.samples}>
      {samples.map((sample, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: samples may be equal and never move.
        <span key={at}>
          {sample.length > sampleCharactersMax ? `${sample.slice(0, sampleCharactersMax)}…` : sample}
        </span>
      ))}
    </span>
  );
}
