import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressWithAccount } from '../../api/browser-session.ts';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { DownloadLink } from '../../design/downloads.tsx';
import { Select } from '../../design/field.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { operationName } from '../../ledger/operations.ts';
import { daysOf, momentsOf, periodDefault } from '../../ledger/spending.ts';
import { movementsNames, readMovements, signed } from './statement-words.ts';
import styles from './usage.module.css';
import { UsageFrame } from './usage-frame.tsx';

type Entry = Schema['StatementEntry'];

const route = getRouteApi('/signed-in/usage/statement');
const pageRows = 100;

const columns: readonly Column<Entry>[] = [
  {
    id: 'what',
    header: 'Entry',
    width: 'minmax(13rem, 1fr)',
    cell: ({ description, operation, at }) => (
      <div className={styles.what}>
        {description}
        <div className={styles.soft}>
          {operationName(operation)} · <time dateTime={at}>{formatMoment(at)}</time>
        </div>
      </div>
    ),
  },
  { id: 'change', header: 'Change', width: '5.25rem', align: 'end', cell: ({ change }) => signed(change) },
  {
    id: 'balance',
    header: 'Balance',
    width: '7rem',
    align: 'end',
    cell: entry => formatNumber(entry.balance_after),
  },
  {
    id: 'receipt',
    header: 'Receipt',
    width: '6.5rem',
    cell: ({ run_id: runId }) =>
      runId && (
        <Link to="/usage/receipts/$runId" params={{ runId }}>
          Receipt
        </Link>
      ),
  },
];

/** Every movement of credits, with its cause. */
export function StatementScreen() {
  const { period, show } = route.useSearch();
  const navigate = route.useNavigate();
  const days = daysOf(period ?? periodDefault, new Date());
  const query = { ...momentsOf(days), ...(show && { movements: show }) };
  const pages = $api.useInfiniteQuery(
    'get',
    '/statement',
    { params: { query: { ...query, limit: pageRows } } },
    byCursor,
  );
  const rows = useMemo(() => pages.data?.pages.flatMap(({ entries }) => entries) ?? [], [pages.data]);
  return (
    <UsageFrame
      title="Statement"
      lead="Each movement of credits, with its cause."
      period={period}
      onPeriod={next => navigate({ search: old => ({ show: old.show, period: next }), replace: true })}
      choices={
        <Select
          label="Show"
          value={show ?? ''}
          onChange={({ target }) =>
            navigate({
              search: old => ({ period: old.period, show: readMovements(target.value) }),
              replace: true,
            })
          }
        >
          <option value="">Everything</option>
          {Object.entries(movementsNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      }
      actions={
        <DownloadLink href={addressWithAccount('/statement.csv', { ...query })}>Download as CSV</DownloadLink>
      }
    >
      {pages.isPending && <Loading lines={8} name="Loading statement" />}
      {pages.isError && <Failure error={pages.error} onRetry={pages.refetch} />}
      {pages.data && rows.length === 0 && (
        <Empty title="No entries">
          The balance did not change in this period. Choose a longer period, or show everything.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable name="Credit entries" columns={columns} rows={rows} rowId={({ entry_id: id }) => id} />
      )}
      {pages.data && (
        <Row>
          {pages.hasNextPage && (
            <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
              Show older
            </Button>
          )}
          <span className={styles.soft} role="status">
            {countOf(rows.length, 'entry', 'entries')}
            {pages.hasNextPage && ', with older entries available'}
          </span>
        </Row>
      )}
    </UsageFrame>
  );
}
