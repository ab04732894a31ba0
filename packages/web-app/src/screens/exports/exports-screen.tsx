import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileDown, Plus, Users, Webhook } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { $api } from '../../api/client.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { exportStatuses } from '../work-states.ts';
import {
  asStatus,
  asTarget,
  countsOf,
  type Export,
  exportState,
  isActive,
  targetNames,
  waitsForUser,
} from './export-words.ts';
import styles from './exports.module.css';
import { NewExport } from './new-export.tsx';

const route = getRouteApi('/signed-in/exports');
const rowsOfPage = 25;
const polledMs = 2_000;

interface Filter {
  readonly status: Export['status'] | undefined;
  readonly target: Export['target'] | undefined;
}

/** The list of the account's exports. */
export function ExportsScreen() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const [isChoosing, setChoosing] = useState(false);
  const newExport = (
    <Button look="primary" onClick={() => setChoosing(true)}>
      <Plus size={16} aria-hidden />
      Create export
    </Button>
  );
  function choose(next: Partial<Filter>) {
    void navigate({ search: { ...filter, ...next }, replace: true });
  }
  return (
    <Page
      title="Exports"
      lead="Rows sent to a file, a webhook or a CRM, and the status of each row. Exports are free."
      actions={newExport}
    >
      <Row>
        <div className={styles.filter}>
          <Select
            label="Status"
            value={filter.status ?? ''}
            onChange={({ target }) => choose({ status: asStatus(target.value) })}
          >
            <Options names={exportStatuses} />
          </Select>
        </div>
        <div className={styles.filter}>
          <Select
            label="Destination"
            value={filter.target ?? ''}
            onChange={({ target }) => choose({ target: asTarget(target.value) })}
          >
            <Options names={targetNames} />
          </Select>
        </div>
      </Row>
      <ExportList
        // Each filter has its own pages.
        key={`${filter.status} ${filter.target}`}
        filter={filter}
        onUnfilter={() => choose({ status: undefined, target: undefined })}
        newExport={newExport}
      />
      <NewExport open={isChoosing} onOpenChange={setChoosing} />
    </Page>
  );
}

function Options({ names }: { readonly names: Readonly<Record<string, string>> }) {
  return (
    <>
      <option value="">All</option>
      {Object.entries(names).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </>
  );
}

function ExportList({
  filter,
  onUnfilter,
  newExport,
}: {
  readonly filter: Filter;
  readonly onUnfilter: () => void;
  readonly newExport: ReactNode;
}) {
  const pages = usePages();
  const { data, isPending, isError, error, refetch } = useExports(filter, pages.cursor);
  if (isPending) return <Loading lines={6} />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  if (data.exports.length === 0 && pages.number > 1) {
    return (
      <>
        <Empty title="No more exports">The exports on this page were deleted.</Empty>
        <Pager pages={pages} nextCursor={undefined} />
      </>
    );
  }
  if (data.exports.length === 0) {
    return filter.status || filter.target ? (
      <Empty title="No matching exports" action={<Button onClick={onUnfilter}>Show all</Button>}>
        No exports have this status and destination.
      </Empty>
    ) : (
      <Empty title="No exports yet" action={newExport}>
        Download validated addresses, saved people or companies as CSV or Excel, or push them to your CRM or
        row by row to a webhook, such as Clay, Zapier or your own.
      </Empty>
    );
  }
  return (
    <>
      <DataTable name="Exports" columns={columns} rows={data.exports} rowId={({ export_id }) => export_id} />
      <Pager pages={pages} nextCursor={data.next_cursor} />
    </>
  );
}

function useExports({ status, target }: Filter, cursor: string | undefined) {
  return $api.useQuery(
    'get',
    '/exports',
    {
      params: {
        query: {
          limit: rowsOfPage,
          ...(status && { status }),
          ...(target && { target }),
          ...(cursor !== undefined && { cursor }),
        },
      },
    },
    {
      // The pager keeps its position and the focus while a page is loading.
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) => (state.data?.exports.some(continuesAutomatically) ? polledMs : false),
    },
  );
}

function continuesAutomatically(record: Export): boolean {
  return isActive(record) && !waitsForUser(record);
}

const targetIcons = { csv: FileDown, webhook: Webhook, crm: Users } as const;

const columns: readonly Column<Export>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ export_id, name }) => (
      <Link
        className={styles.name}
        to="/exports/$exportId"
        params={{ exportId: export_id }}
        search={{ rows: undefined, action: undefined }}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    width: '12.5rem',
    cell: record => <StateBadge look={exportState(record)} />,
  },
  {
    id: 'rows',
    header: 'Rows',
    width: '12rem',
    cell: record => <Delivered record={record} />,
  },
  {
    id: 'target',
    header: 'Destination',
    width: '8rem',
    cell: ({ target }) => {
      const Icon = targetIcons[target];
      return (
        <span className={styles.target}>
          <Icon size={16} aria-hidden />
          {targetNames[target]}
        </span>
      );
    },
  },
  {
    id: 'at',
    header: 'Started',
    width: '12rem',
    cell: ({ created_at }) => formatMoment(created_at),
  },
];

/** The number of delivered rows, as a bar and in words. */
function Delivered({ record }: { readonly record: Export }) {
  const { total, delivered, failed } = record.rows;
  return (
    <div className={styles.delivered} title={countsOf(record)}>
      <div className={styles.bar} aria-hidden>
        <span className={styles.barGood} style={{ flexGrow: delivered }} />
        <span className={styles.barBad} style={{ flexGrow: failed }} />
        <span style={{ flexGrow: Math.max(0, total - delivered - failed) }} />
      </div>
      <span>
        {formatNumber(delivered)} of {formatNumber(total)}
        {failed > 0 && <span className={styles.failed}> · {formatNumber(failed)} failed</span>}
      </span>
    </div>
  );
}
