import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useMemo } from 'react';
import { $api } from '../../api/client.ts';
import { StateBadge } from '../../design/badge.tsx';
import { DownloadLink } from '../../design/downloads.tsx';
import { Select } from '../../design/field.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { rowStates } from '../work-states.ts';
import { ResendRows } from './destination-card.tsx';
import {
  actionNames,
  asAction,
  asRowState,
  type Export,
  type ExportRow,
  isMoving,
  rowsIn,
} from './export-words.ts';
import styles from './exports.module.css';
import { failedRowsOf } from './use-export.ts';

const route = getRouteApi('/signed-in/exports/$exportId');
const rowsOfPage = 50;
const polledMs = 3_000;

/** The outcome of each row. */
export function ExportRows({ record }: { readonly record: Export }) {
  const { rows: state, action } = route.useSearch();
  const navigate = route.useNavigate();
  function choose(next: { rows?: typeof state; action?: typeof action }) {
    void navigate({ search: { rows: state, action, ...next }, replace: true, resetScroll: false });
  }
  const counts = rowsIn(record);
  return (
    <Card
      title="Rows"
      actions={
        counts.failed > 0 && (
          <>
            <ResendRows record={record} />
            <DownloadLink href={failedRowsOf(record.export_id)}>Download failed rows</DownloadLink>
          </>
        )
      }
    >
      <Row>
        <div className={styles.filter}>
          <Select
            label="Status"
            value={state ?? ''}
            onChange={({ target }) => choose({ rows: asRowState(target.value) })}
          >
            <option value="">All ({formatNumber(record.rows.total)})</option>
            {Object.entries(rowStates).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name} ({formatNumber(counts[value as ExportRow['state']])})
              </option>
            ))}
          </Select>
        </div>
        {record.actions && (
          <div className={styles.filter}>
            <Select
              label="In the CRM"
              value={action ?? ''}
              onChange={({ target }) => choose({ action: asAction(target.value) })}
            >
              <option value="">All</option>
              {Object.entries(actionNames).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          </div>
        )}
      </Row>
      <RowList key={`${state} ${action}`} record={record} state={state} action={action} />
    </Card>
  );
}

interface RowListProps {
  readonly record: Export;
  readonly state: ExportRow['state'] | undefined;
  readonly action: ExportRow['action'] | undefined;
}

function RowList({ record, state, action }: RowListProps) {
  const pages = usePages();
  const { target, source } = record;
  const columns = useMemo(() => columnsOf(target, source.kind), [target, source.kind]);
  const { data, isPending, isError, error, refetch } = $api.useQuery(
    'get',
    '/exports/{export_id}/rows',
    {
      params: {
        path: { export_id: record.export_id },
        query: {
          limit: rowsOfPage,
          ...(state && { state }),
          ...(action && { action }),
          ...(pages.cursor !== undefined && { cursor: pages.cursor }),
        },
      },
    },
    { placeholderData: keepPreviousData, refetchInterval: isMoving(record) ? polledMs : false },
  );
  const isStill = !isMoving(record);
  const ask = useEffectEvent(() => void refetch());
  // Rows that were fetched while the export was running may be out of date when it ends.
  useEffect(() => {
    if (isStill) ask();
  }, [isStill]);
  if (isPending) return <Loading lines={5} />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  if (data.rows.length === 0) {
    return (
      <p className={styles.soft}>
        {state || action ? 'No rows with this status.' : 'No rows have been processed yet.'}
      </p>
    );
  }
  const [first, last] = [data.rows[0], data.rows.at(-1)].map(row => (row ? numberOf(row) : 0));
  return (
    <>
      <DataTable name="Row status" columns={columns} rows={data.rows} rowId={({ row }) => String(row)} />
      <Pager pages={pages} nextCursor={data.next_cursor}>
        {`Rows ${formatNumber(first ?? 0)} to ${formatNumber(last ?? 0)}`}
      </Pager>
    </>
  );
}

/** The number of a row in the list that the user knows; in the export, if its source has no numbers. */
function numberOf({ source_row: inList, row }: ExportRow): number {
  return inList ?? row;
}

const nameHeaders = {
  validation_job: 'Email address',
  saved_people: 'Person',
  saved_companies: 'Company',
} as const satisfies Record<Export['source']['kind'], string>;

function columnsOf(target: Export['target'], kind: Export['source']['kind']): readonly Column<ExportRow>[] {
  return [
    {
      id: 'row',
      header: kind === 'validation_job' ? 'List row' : 'Row',
      width: '4.5rem',
      align: 'end',
      cell: row => formatNumber(numberOf(row)),
    },
    {
      id: 'name',
      header: nameHeaders[kind],
      width: 'minmax(11rem, 1fr)',
      cell: ({ source_name: name }) => name ?? '–',
    },
    {
      id: 'state',
      header: 'Status',
      width: '6.5rem',
      cell: ({ state }) => <StateBadge look={rowStates[state]} />,
    },
    ...(target === 'csv' ? [] : target === 'crm' ? crmColumns : webhookColumns),
  ];
}

const faultColumn: Column<ExportRow> = {
  id: 'fault',
  header: 'Details',
  width: 'minmax(14rem, 1.5fr)',
  cell: ({ state, fault, retry_at, attempts }) => (
    <span>
      {fault}
      {state === 'pending' && attempts > 0 && retry_at && ` Next attempt ${formatMoment(retry_at)}.`}
      {!fault && '–'}
    </span>
  ),
};

const attemptColumns: readonly Column<ExportRow>[] = [
  {
    id: 'attempts',
    header: 'Attempts',
    width: '5.5rem',
    cell: ({ attempts }) => (attempts === 0 ? '–' : formatNumber(attempts)),
  },
  {
    id: 'at',
    header: 'Last attempt',
    width: '11rem',
    cell: ({ attempted_at }) => (attempted_at ? formatMoment(attempted_at) : '–'),
  },
];

const webhookColumns: readonly Column<ExportRow>[] = [
  faultColumn,
  { id: 'status', header: 'Response', width: '5.5rem', cell: ({ status_code }) => status_code ?? '–' },
  ...attemptColumns,
];

const crmColumns: readonly Column<ExportRow>[] = [
  {
    id: 'action',
    header: 'In the CRM',
    width: '9rem',
    cell: ({ action, undone }) => (
      <span>
        {action ? actionNames[action] : '–'}
        {undone && `, ${undone === 'removed' ? 'deleted' : 'not deleted'}`}
      </span>
    ),
  },
  {
    id: 'record',
    header: 'Record',
    width: '8rem',
    cell: ({ crm_record_id }) => crm_record_id ?? '–',
  },
  faultColumn,
  ...attemptColumns,
];
