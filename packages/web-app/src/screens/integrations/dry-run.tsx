import { $api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Row, Stack } from '../../design/layout.tsx';
import type { Tone } from '../../design/looks.ts';
import { Progress } from '../../design/progress.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { useExport } from '../exports/use-export.ts';
import styles from './dry-run.module.css';
import integrationsStyles from './integrations.module.css';

type Export = Schema['Export'];
type ExportRow = Schema['ExportRow'];

interface DryRunProps {
  readonly exportId: string;
  readonly crm: string;
  readonly source: Schema['NewExport']['source'];
  readonly isPushing: boolean;
  readonly onPush: () => void;
  /** Discards the result, for another try. */
  readonly onAgain: () => void;
}

/** The result of a dry run: what a push would do. */
export function DryRun({ exportId, crm, source, isPushing, onPush, onAgain }: DryRunProps) {
  const found = useExport(exportId);
  const { data } = found;
  if (!data) {
    return found.isError ? (
      <Failure error={found.error} onRetry={found.refetch} />
    ) : (
      <Loading name="Loading preview" />
    );
  }
  if (data.failure) {
    return (
      <Notice
        tone="bad"
        title={data.failure.reason === 'cancelled' ? 'Preview canceled' : 'Preview failed'}
        alert
      >
        <span>{data.failure.detail}</span>
        <FailedExamples run={data} source={source} />
        <Button onClick={onAgain}>Try again</Button>
      </Notice>
    );
  }
  if (data.status !== 'succeeded') {
    return (
      <Stack>
        <p role="status">{`Comparing every row with ${crm}. Nothing is written.`}</p>
        <Progress name="Preview progress" value={data.progress} secondsLeft={data.seconds_left} />
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
          <Notice tone="neutral">{`Nothing to write: ${crm} already has all the data, or rejects every row.`}</Notice>
        )}
        <Button onClick={onAgain}>Refresh preview</Button>
      </Row>
      {writes > 0 && (
        <p className={integrationsStyles.small}>
          You can undo created records; changes to existing records cannot be undone.
        </p>
      )}
    </Stack>
  );
}

const examplesMax = 5;
const outcomes = { created: 'Created', updated: 'Updated', skipped: 'Skipped' } as const;
const tones: Readonly<Record<keyof typeof outcomes, Tone>> = {
  created: 'good',
  updated: 'fair',
  skipped: 'neutral',
};

interface ExamplesProps {
  readonly run: Export;
  readonly source: DryRunProps['source'];
}

/** Some example rows of each outcome, with their content if known. */
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
  { id: 'says', header: 'Data', cell: ({ says }) => says },
  {
    id: 'outcome',
    header: 'Action',
    width: '7rem',
    cell: ({ action, state }) =>
      action ? (
        <Badge tone={tones[action]}>{outcomes[action]}</Badge>
      ) : (
        <Badge tone="bad">{state === 'gone' ? 'Removed' : 'Failed'}</Badge>
      ),
  },
  {
    id: 'why',
    header: 'Record or reason',
    width: 'minmax(12rem, 2fr)',
    cell: ({ fault, crm_record_id: recordId, action }) =>
      fault ?? (recordId ? `Record ${recordId}` : action === 'created' ? 'New record' : '–'),
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

/**
 * Returns a function that describes a row by its address or its first value; rows beyond the samples are described only
 * by their number.
 */
function saysOf({ columns: names, samples }: Schema['ExportSurvey']) {
  const at = Math.max(
    0,
    names.findIndex(name => /e-?mail/i.test(name)),
  );
  return (row: number): string => String(samples[row - 1]?.[at] ?? '–');
}

interface ActionCountsProps {
  readonly run: Schema['Export'];
  readonly isDryRun?: boolean;
}

/** The actual or expected outcomes of a push, as a bar and in numbers. */
function ActionCounts({ run, isDryRun }: ActionCountsProps) {
  const { created = 0, updated = 0, skipped = 0 } = run.actions ?? {};
  const would = isDryRun ? 'Would be ' : '';
  const parts = [
    { look: styles.created, name: `${would}created`, count: created },
    { look: styles.updated, name: `${would}updated`, count: updated },
    { look: styles.skipped, name: `${would}skipped`, count: skipped },
    { look: styles.failed, name: isDryRun ? 'Would fail' : 'failed', count: run.rows.failed + run.rows.gone },
  ];
  return (
    <div className={styles.counts}>
      <div className={styles.bar} aria-hidden>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ name, look, count }) => (
            <span key={name} className={look} style={{ flexGrow: count }} />
          ))}
      </div>
      <dl className={styles.legend}>
        {parts.map(({ name, look, count }) => (
          <div key={name}>
            <dt>
              <span className={look} aria-hidden />
              {capital(name)}
            </dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
