import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Play, RotateCcw } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { countOf, formatNumber, formatOctets, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { announce } from '../../design/toasts.tsx';
import { DelimiterSelect, EncodingSelect } from './drop-file.tsx';
import { encodings, type Reading, withChoice } from './file-format.ts';
import type { Job } from './job-search.ts';
import { delimiterName, sheetsToRead, sheetWords } from './job-words.ts';
import { keepFile, keptFile } from './kept-files.ts';
import { fileUpload, sendRows } from './upload.ts';
import { keepJob, refreshResults } from './use-job.ts';
import styles from './validations.module.css';

/** A list before its start: what it contains, and what it would cost. */
export function ReadyJob({ job }: { readonly job: Job }) {
  const change = useReading(job.job_id);
  const again = useUploadAgain(job);
  return (
    <>
      <StartCard job={job} isReadAnew={change.isPending || again.isPending} />
      <ReadCard job={job} change={change} again={again} />
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
  readonly again: ReturnType<typeof useUploadAgain>;
}

/** Shows how the list was read, and lets the user change it. */
function ReadCard({ job, change, again }: ReadCardProps) {
  const { file } = job;
  const canReadAgain = keptFile(job.job_id) !== undefined;
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
            ? sheetWords(file, canReadAgain)
            : `delimited by ${delimiterName(file.delimiter)}, ${file.encoding.toUpperCase()}.`}
        </p>
      )}
      {file?.encoding_is_guess && (
        <Notice tone="caution" title="The encoding is a guess">
          <span>
            The file does not declare its encoding, so it was read as {encodings[file.encoding]}. Check the
            samples: if letters are wrong,{' '}
            {canReadAgain
              ? 'choose the encoding below.'
              : 'upload the file again and choose the encoding under “Format”.'}
          </span>
          {!canReadAgain && <LinkButton to="/validations/new">Upload again</LinkButton>}
        </Notice>
      )}
      {file && canReadAgain && <ReadAgain file={file} again={again} />}
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

/** Uploads the file of the list again and reads it in another way; the new list replaces the old one. */
function useUploadAgain(job: Job) {
  const navigate = useNavigate();
  const isShown = useRef(false);
  const { keyOf, answered } = useIdempotencyKey();
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useMutation({
    async mutationFn(reading: Reading) {
      const file = keptFile(job.job_id);
      if (!file) throw new Error('Choose the file again: this page was loaded since.');
      const upload = { ...fileUpload(file, { name: job.name, ...reading }), key: keyOf(job.job_id, reading) };
      const sending = sendRows(upload, {
        signal: new AbortController().signal,
        onSent: () => undefined,
      });
      sending.then(() => answered(), answered);
      const made = await sending;
      keepJob(made);
      keepFile(made.job_id, file);
      // A user who is elsewhere by now stays there.
      if (isShown.current) {
        await navigate({ to: '/validations/$jobId', params: { jobId: made.job_id }, replace: true });
      }
      announce('The file was read again.');
      // Nothing refers to the old list any more; if it cannot be deleted, it stays in the list of lists.
      await api
        .DELETE('/validation-jobs/{job_id}', { params: { path: { job_id: job.job_id } } })
        .catch(() => undefined);
      await queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
    },
  });
}

interface ReadAgainProps {
  readonly file: NonNullable<Job['file']>;
  readonly again: ReturnType<typeof useUploadAgain>;
}

/** Reads another sheet of a workbook, or text with another encoding or delimiter. */
function ReadAgain({ file, again }: ReadAgainProps) {
  const isWorkbook = file.format === 'xlsx';
  const [reading, setReading] = useState<Reading>(
    isWorkbook ? { sheet: file.sheet ?? '' } : { encoding: file.encoding },
  );
  if (isWorkbook && file.sheets.length < 2) return null;
  return (
    <form
      className={styles.again}
      onSubmit={event => {
        event.preventDefault();
        again.mutate(reading);
      }}
    >
      {isWorkbook ? (
        <Select
          label="Sheet"
          value={reading.sheet}
          onChange={({ target }) => setReading({ sheet: target.value })}
        >
          {sheetsToRead(file).map(sheet => (
            <option key={sheet} value={sheet}>
              {sheet}
            </option>
          ))}
        </Select>
      ) : (
        <>
          <EncodingSelect
            value={reading.encoding ?? ''}
            onChange={encoding => setReading(withChoice(reading, { encoding }))}
          />
          <DelimiterSelect
            value={reading.delimiter ?? ''}
            onChange={delimiter => setReading(withChoice(reading, { delimiter }))}
          />
        </>
      )}
      <Button type="submit" busy={again.isPending}>
        <RotateCcw size={16} aria-hidden />
        Read the file again
      </Button>
      {again.isError && <Failure error={again.error} />}
    </form>
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
