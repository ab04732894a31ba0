import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatDay, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Facts, Page } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { runsQuery } from '../discovery/run-query.ts';
import { DestinationCard } from './destination-card.tsx';
import { ExportActions } from './export-actions.tsx';
import { ExportCounts, ExportProgress } from './export-progress.tsx';
import { ExportRows } from './export-rows.tsx';
import { type Export, exportState, isActive, receiverName, sourceName, timesOf } from './export-words.ts';
import styles from './exports.module.css';
import { keepExport, useExport } from './use-export.ts';

const route = getRouteApi('/signed-in/exports/$exportId');

/** One export: its progress, the outcomes of its rows, and its actions. */
export function ExportScreen() {
  const { exportId } = route.useParams();
  const { data: record, isPending, error, refetch } = useExport(exportId);
  const isGone = isMissing(error);
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
      <Card
        title={isActive(record) ? 'Progress' : 'Result'}
        actions={<StateBadge look={exportState(record)} />}
      >
        <ExportProgress record={record} />
        <ExportCounts record={record} />
      </Card>
      <DestinationCard record={record} />
      {record.target === 'crm' && <UndoCard record={record} />}
      {hasRowsToShow(record) && <ExportRows record={record} />}
      <Card title="Details">
        <Facts facts={factsOf(record)} />
      </Card>
    </Page>
  );
}

function NoExport() {
  return (
    <Empty
      title="Export not found"
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

/** Whether to show the rows. For a file, the written rows add nothing that the file does not contain. */
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

/** A link to the source of the rows. */
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
    return <CompaniesLink searchId={source.search_id} words={words} />;
  }
  return source.kind === 'saved_people' ? <Link to="/saved">{words}</Link> : <span>{words}</span>;
}

/** A link to the search whose companies are exported; its runs say of which kind it is. */
function CompaniesLink({ searchId, words }: { readonly searchId: string; readonly words: string }) {
  const { data } = useQuery(runsQuery(searchId));
  const isByFilters = data?.runs.some(({ kind }) => kind === 'companies');
  return (
    <Link to={isByFilters ? '/companies/$searchId' : '/lookalikes/$searchId'} params={{ searchId }}>
      {words}
    </Link>
  );
}

const leads = { csv: 'File from', webhook: 'Push to a webhook, from', crm: 'Push to a CRM, from' } as const;

function factsOf(record: Export): (readonly [string, React.ReactNode])[] {
  const { columns, created_at, started_at, ended_at, deleted_at, throttled } = record;
  const ceiling = record.options['rows_per_second_max'];
  return [
    ['Destination', receiverName(record)],
    ...(record.failed_rows_of
      ? [['Rows', <FailedRowsLink key="rows" exportId={record.failed_rows_of} />] as const]
      : []),
    ...(typeof ceiling === 'number'
      ? [['Rate limit', `${countOf(ceiling, 'row')} per second`] as const]
      : []),
    ['Fields', <FieldNames key="fields" columns={columns} />],
    ['Created', formatMoment(created_at)],
    ...(started_at ? [['Started', formatMoment(started_at)] as const] : []),
    ...(ended_at ? [['Ended', formatMoment(ended_at)] as const] : []),
    ...(throttled > 0 ? [['Rate limited', timesOf(throttled)] as const] : []),
    ['Kept until', `${formatDay(deleted_at)}. Its source has its own retention period.`],
  ];
}

function FailedRowsLink({ exportId }: { readonly exportId: string }) {
  return (
    <>
      Only those that{' '}
      <Link to="/exports/$exportId" params={{ exportId }} search={{ rows: undefined, action: undefined }}>
        an earlier push
      </Link>{' '}
      did not deliver.
    </>
  );
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

/** Removes the records that a CRM push created, and shows the progress. */
function UndoCard({ record }: { readonly record: Export }) {
  const [isAsked, setAsked] = useState(false);
  const { undo } = record;
  const created = record.actions?.created ?? 0;
  const left = undo ? undo.records.total - undo.records.removed : created;
  // A dry run wrote nothing, and a running export would create more records.
  const canUndo =
    !isActive(record) && record.options['dry_run'] !== true && undo?.status !== 'running' && left > 0;
  if (!undo && !canUndo) return null;
  return (
    <Card
      title="Undo"
      actions={
        canUndo && (
          <Button onClick={() => setAsked(true)}>
            <Undo2 size={16} aria-hidden />
            {undo ? 'Undo the rest' : `Undo ${countOf(created, 'new record')}`}
          </Button>
        )
      }
    >
      {undo ? (
        <UndoProgress undo={undo} />
      ) : (
        <p className={styles.soft}>
          You can delete the records that this push created. Existing records stay, with the values that the
          push wrote.
        </p>
      )}
      <Confirm
        title="Undo this push?"
        lead={`${countOf(left, 'created record moves', 'created records move')} to the CRM’s recycle bin, even if changed since. Existing records stay, with the values that the push wrote.`}
        verb="Undo push"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={async () => {
          const path = { export_id: record.export_id };
          const { data } = await api.POST('/exports/{export_id}/undo', { params: { path } });
          if (data) keepExport(data);
        }}
      />
    </Card>
  );
}

function UndoProgress({ undo }: { readonly undo: NonNullable<Export['undo']> }) {
  const { total, removed, failed } = undo.records;
  return (
    <>
      {undo.status === 'running' && (
        <Progress name="Undo" value={total === 0 ? 0 : Math.min(1, (removed + failed) / total)} />
      )}
      <p>
        {formatNumber(removed)} of {countOf(total, 'record')} deleted
        {failed > 0 && `, ${formatNumber(failed)} failed`}.
      </p>
      {undo.failure && (
        <Notice tone="bad" title="Undo is incomplete">
          {undo.failure.detail}
        </Notice>
      )}
      {undo.status === 'succeeded' && failed === 0 && <Notice tone="good" title="Undo complete" />}
    </>
  );
}
