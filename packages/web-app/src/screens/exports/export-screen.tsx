import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { asProblem } from '../../api/problem.ts';
import { Badge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { countOf, formatDay, formatMoment } from '../../design/format.ts';
import { Card, Facts, Page } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { DestinationCard } from './destination-card.tsx';
import { ExportActions } from './export-actions.tsx';
import { ExportCounts } from './export-counts.tsx';
import { ExportProgress } from './export-progress.tsx';
import { ExportRows } from './export-rows.tsx';
import { type Export, isUnderWay, receiverName, sourceName, stateOf, timesOf } from './export-words.ts';
import styles from './exports.module.css';
import { UndoCard } from './undo-card.tsx';
import { useExport } from './use-export.ts';

const route = getRouteApi('/signed-in/exports/$exportId');

/** One export: how far it is, what became of its rows, and what can be done about it. */
export function ExportScreen() {
  const { exportId } = route.useParams();
  const { data: record, isPending, error, refetch } = useExport(exportId);
  const isGone = asProblem(error).code === 'export_not_found';
  if (!record || isGone) {
    return (
      <Page title="Export">
        {isPending && <Loading lines={6} />}
        {isGone && <NoExport />}
        {!isPending && !isGone && <Failure error={error} onRetry={refetch} />}
      </Page>
    );
  }
  return (
    <Page title={record.name} lead={<Lead record={record} />} actions={<ExportActions record={record} />}>
      <Card title={isUnderWay(record) ? 'Progress' : 'Outcome'} actions={<State record={record} />}>
        <ExportProgress record={record} />
        <ExportCounts record={record} />
      </Card>
      <DestinationCard record={record} />
      {record.target === 'crm' && <UndoCard record={record} />}
      {hasRowsToShow(record) && <ExportRows record={record} />}
      <Card title="About it">
        <Facts facts={factsOf(record)} />
      </Card>
    </Page>
  );
}

function NoExport() {
  return (
    <Empty
      title="There is no such export"
      action={
        <LinkButton to="/exports" search={{ status: undefined, target: undefined }}>
          All exports
        </LinkButton>
      }
    >
      It may have been deleted.
    </Empty>
  );
}

/** Of a file, rows that are in it say nothing that the file does not. */
function hasRowsToShow({ target, rows }: Export): boolean {
  return target !== 'csv' || rows.failed + rows.gone > 0;
}

function Lead({ record }: { readonly record: Export }) {
  return (
    <>
      <Link className={styles.back} to="/exports" search={{ status: undefined, target: undefined }}>
        <ArrowLeft size={14} aria-hidden />
        All exports
      </Link>
      {leads[record.target]} <SourceLink source={record.source} />
    </>
  );
}

/** Back to the rows that it has. */
function SourceLink({ source }: { readonly source: Export['source'] }) {
  const words = sourceName(source);
  if (source.kind === 'validation_job') {
    return (
      <Link to="/validations/$jobId" params={{ jobId: source.job_id }}>
        {words}
      </Link>
    );
  }
  if (source.list_id) {
    return (
      <Link to="/saved/lists/$listId" params={{ listId: source.list_id }}>
        {words}
      </Link>
    );
  }
  if (source.kind === 'saved_companies' && source.search_id) {
    return (
      <Link to="/lookalikes/$searchId" params={{ searchId: source.search_id }}>
        {words}
      </Link>
    );
  }
  return source.kind === 'saved_people' ? <Link to="/saved">{words}</Link> : <span>{words}</span>;
}

const leads = { csv: 'A file of', webhook: 'A push to a webhook of', crm: 'A push to a CRM of' } as const;

function State({ record }: { readonly record: Export }) {
  const { word, tone } = stateOf(record);
  return <Badge tone={tone}>{word}</Badge>;
}

function factsOf(record: Export): (readonly [string, React.ReactNode])[] {
  const { columns, created_at, started_at, ended_at, deleted_at, throttled } = record;
  const ceiling = record.options['rows_per_second_max'];
  return [
    ['Where to', receiverName(record)],
    ...(typeof ceiling === 'number' ? [['At most', `${countOf(ceiling, 'row')} a second`] as const] : []),
    ['Fields', <FieldNames key="fields" columns={columns} />],
    ['Asked for', formatMoment(created_at)],
    ...(started_at ? [['Begun', formatMoment(started_at)] as const] : []),
    ...(ended_at ? [['Ended', formatMoment(ended_at)] as const] : []),
    ...(throttled > 0 ? [['Asked to wait', timesOf(throttled)] as const] : []),
    ['Kept until', `${formatDay(deleted_at)}. What it was made from has a time of its own.`],
  ];
}

function FieldNames({ columns }: { readonly columns: readonly string[] }) {
  return (
    <ul className={styles.fields}>
      {columns.map(column => (
        <li key={column}>
          <code>{column}</code>
        </li>
      ))}
    </ul>
  );
}
