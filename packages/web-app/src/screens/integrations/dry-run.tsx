import { $api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { countOf } from '../../design/format.ts';
import { Row, Stack } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import type { Tone } from '../../design/tone.ts';
import { useExport } from '../exports/use-export.ts';
import { ActionCounts } from './action-counts.tsx';
import styles from './integrations.module.css';

type Export = Schema['Export'];
type ExportRow = Schema['ExportRow'];

interface DryRunProps {
  readonly exportId: string;
  readonly crm: string;
  readonly source: Schema['NewExport']['source'];
  readonly isPushing: boolean;
  readonly onPush: () => void;
  /** Forgets it, to try once more. */
  readonly onAgain: () => void;
}

/** What a push would do, before it does it. */
export function DryRun({ exportId, crm, source, isPushing, onPush, onAgain }: DryRunProps) {
  const found = useExport(exportId);
  const { data } = found;
  if (!data) {
    return found.isError ? (
      <Failure error={found.error} onRetry={found.refetch} />
    ) : (
      <Loading name="Loading what would happen" />
    );
  }
  if (data.failure) {
    return (
      <Notice
        tone="bad"
        title={data.failure.reason === 'cancelled' ? 'It was cancelled' : 'It could not be tried out'}
        alert
      >
        <span>{data.failure.detail}</span>
        <FailedExamples run={data} source={source} />
        <Button onClick={onAgain}>Try once more</Button>
      </Notice>
    );
  }
  if (data.status !== 'succeeded') {
    return (
      <Stack>
        <p role="status">{`Asking ${crm} about every row. Nothing is written.`}</p>
        <Progress name="Progress of the dry run" value={data.progress} secondsLeft={data.seconds_left} />
        {data.pause && <Notice tone="caution">{data.pause.detail}</Notice>}
      </Stack>
    );
  }
  const writes = (data.actions?.created ?? 0) + (data.actions?.updated ?? 0);
  return (
    <Stack>
      <ActionCounts run={data} isDryRun />
      <Examples run={data} source={source} />
      <Row>
        {writes > 0 ? (
          <Button look="primary" busy={isPushing} onClick={onPush}>
            {`Write ${countOf(writes, 'record')} to ${crm}`}
          </Button>
        ) : (
          <Notice tone="neutral">{`There is nothing to write: ${crm} says all of it already, or takes none of it.`}</Notice>
        )}
        <Button onClick={onAgain}>Look again</Button>
      </Row>
      {writes > 0 && (
        <p className={styles.small}>
          What is created can be taken away again; what is changed in records that were there stays changed.
        </p>
      )}
    </Stack>
  );
}

const examplesMax = 5;
const outcomes = { created: 'Created', updated: 'Changed', skipped: 'Skipped' } as const;
const tones: Readonly<Record<keyof typeof outcomes, Tone>> = {
  created: 'good',
  updated: 'fair',
  skipped: 'neutral',
};

interface ExamplesProps {
  readonly run: Export;
  readonly source: DryRunProps['source'];
}

/** Some rows of each outcome, with what they say where that is known. */
function Examples({ run, source }: ExamplesProps) {
  const path = { export_id: run.export_id };
  const page = { limit: examplesMax };
  const created = $api.useQuery('get', '/exports/{export_id}/rows', {
    params: { path, query: { ...page, action: 'created' } },
  });
  const updated = $api.useQuery('get', '/exports/{export_id}/rows', {
    params: { path, query: { ...page, action: 'updated' } },
  });
  const skipped = $api.useQuery('get', '/exports/{export_id}/rows', {
    params: { path, query: { ...page, action: 'skipped' } },
  });
  const failed = $api.useQuery('get', '/exports/{export_id}/rows', {
    params: { path, query: { ...page, state: 'failed' } },
  });
  const questions = [created, updated, skipped, failed];
  if (questions.some(({ isPending }) => isPending)) return <Loading name="Loading examples" />;
  return <RowTable rows={questions.flatMap(({ data }) => data?.rows ?? [])} source={source} />;
}

function FailedExamples({ run, source }: ExamplesProps) {
  const { data } = $api.useQuery('get', '/exports/{export_id}/rows', {
    params: { path: { export_id: run.export_id }, query: { limit: examplesMax, state: 'failed' } },
  });
  return data && data.rows.length > 0 ? <RowTable rows={data.rows} source={source} /> : null;
}

type Example = ExportRow & { readonly says: string };

const columns: readonly Column<Example>[] = [
  { id: 'row', header: 'Row', width: '4.5rem', align: 'end', cell: ({ row }) => row },
  { id: 'says', header: 'Says', cell: ({ says }) => says },
  {
    id: 'outcome',
    header: 'Would be',
    width: '7rem',
    cell: ({ action, state }) =>
      action ? (
        <Badge tone={tones[action]}>{outcomes[action]}</Badge>
      ) : (
        <Badge tone="bad">{state === 'gone' ? 'Left out' : 'Failed'}</Badge>
      ),
  },
  {
    id: 'why',
    header: 'Record, or why not',
    width: 'minmax(12rem, 2fr)',
    cell: ({ fault, crm_record_id: recordId, action }) =>
      fault ?? (recordId ? `Record ${recordId}` : action === 'created' ? 'A new record' : '–'),
  },
];

function RowTable({
  rows,
  source,
}: {
  readonly rows: readonly ExportRow[];
  readonly source: DryRunProps['source'];
}) {
  const survey = $api.useQuery('post', '/export-surveys', { body: { source } });
  const says = survey.data ? saysOf(survey.data) : () => '–';
  if (rows.length === 0) return null;
  return (
    <DataTable
      name="Examples"
      columns={columns}
      rows={rows.map(row => ({ ...row, says: says(row.row) }))}
      rowId={({ row }) => String(row)}
    />
  );
}

/** The address of a row, or the first thing that it says; rows behind the samples are known by their number alone. */
function saysOf({ columns: names, samples }: Schema['ExportSurvey']) {
  const at = Math.max(
    0,
    names.findIndex(name => /e-?mail/i.test(name)),
  );
  return (row: number): string => String(samples[row - 1]?.[at] ?? '–');
}
