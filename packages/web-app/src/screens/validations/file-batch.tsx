import { Link } from '@tanstack/react-router';
import { Play, RotateCcw } from 'lucide-react';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { countOf, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { AskBeforeLeaving } from './ask-before-leaving.tsx';
import type { BatchFile, useFileBatch } from './use-file-batch.ts';
import styles from './validations.module.css';

const stateNames = {
  waiting: 'Waiting',
  sending: 'Uploading',
  ready: 'Ready to start',
  refused: 'Not uploaded',
  started: 'Started',
} as const satisfies Record<BatchFile['state'], string>;

const columns: readonly Column<BatchFile>[] = [
  {
    id: 'file',
    header: 'File',
    width: 'min(18rem, 45vw)',
    cell: ({ file, job }) =>
      job ? (
        <Link to="/validations/$jobId" params={{ jobId: job.job_id }} className={styles.name}>
          {file.name}
        </Link>
      ) : (
        <span className={styles.name}>{file.name}</span>
      ),
  },
  { id: 'state', header: 'Status', width: '9rem', cell: statusOf },
  {
    id: 'column',
    header: 'Email column',
    width: 'minmax(8rem, 14rem)',
    cell: ({ job }) => job?.columns[job.address_column ?? -1]?.name,
  },
  {
    id: 'rows',
    header: 'Rows',
    width: '6rem',
    align: 'end',
    cell: ({ job }) => job && formatNumber(job.rows.total),
  },
  {
    id: 'price',
    header: 'Price, at most',
    width: '8rem',
    align: 'end',
    cell: ({ job }) => job && (job.cost_max === 0 ? 'Free' : countOf(job.cost_max, 'credit')),
  },
];

function statusOf({ state, sent = 0 }: BatchFile): string {
  if (state !== 'sending') return stateNames[state];
  return sent === 1 ? 'Counting rows' : `${stateNames.sending}, ${formatShare(Math.floor(sent * 100) / 100)}`;
}

/** Several files: what each of them contains and costs, before they are started together. */
export function FileBatch({ batch }: { readonly batch: ReturnType<typeof useFileBatch> }) {
  const { files, isSending, isStarting, repeat, startAll, stop, close } = batch;
  if (files.length === 0) return null;
  const ready = files.filter(({ state }) => state === 'ready');
  const failed = files.filter(({ canRepeat }) => canRepeat);
  const faults = files.filter(({ fault }) => fault);
  const price = ready.reduce((sum, { job }) => sum + (job?.cost_max ?? 0), 0);
  return (
    <Card title={`${countOf(files.length, 'file')} to validate`}>
      <p role="status" className={styles.soft}>
        {summaryOf(files)}
      </p>
      <DataTable name="Files" columns={columns} rows={files} rowId={({ id }) => String(id)} />
      {faults.length > 0 && (
        <ul className={styles.faults} aria-label="Files with errors">
          {faults.map(({ id, file, fault }) => (
            <li key={id}>
              <strong>{file.name}</strong>: {fault}
            </li>
          ))}
        </ul>
      )}
      {ready.length > 0 && (
        <Cost max={price} note={`for ${countOf(ready.length, 'list')}; unknown results are free.`} />
      )}
      <Row>
        {ready.length > 0 && (
          <Button look="primary" busy={isStarting} disabled={isSending} onClick={startAll}>
            <Play size={16} aria-hidden />
            {`Start ${countOf(ready.length, 'list')}`}
          </Button>
        )}
        {failed.length > 0 && !isSending && (
          <Button onClick={repeat}>
            <RotateCcw size={16} aria-hidden />
            {`Upload ${countOf(failed.length, 'file')} again`}
          </Button>
        )}
        {isSending ? (
          <Button onClick={stop}>Cancel upload</Button>
        ) : (
          <Button look="quiet" onClick={close}>
            Close
          </Button>
        )}
      </Row>
      {isSending && <AskBeforeLeaving onStop={stop} />}
    </Card>
  );
}

/** What has happened so far, for the eye and for screen readers. */
function summaryOf(files: readonly BatchFile[]): string {
  const counted = Object.entries(stateNames).map(([state, name]) => ({
    name: name.toLowerCase(),
    files: files.filter(file => file.state === state).length,
  }));
  return `${counted
    .filter(({ files: count }) => count > 0)
    .map(({ name, files: count }) => `${formatNumber(count)} ${name}`)
    .join(', ')}.`;
}
