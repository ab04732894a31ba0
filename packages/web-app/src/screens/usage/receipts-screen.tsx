import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { byCursor } from '../../api/paged-rows.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { operationName } from '../../ledger/operations.ts';
import { daysOf, momentsOf, periodDefault } from '../../ledger/period.ts';
import { receiptStates } from '../../ledger/receipts.ts';
import { UsageFrame } from './usage-frame.tsx';

type Receipt = Schema['Receipt'];

const route = getRouteApi('/signed-in/usage/receipts');
const pageRows = 100;

const columns: readonly Column<Receipt>[] = [
  {
    id: 'what',
    header: 'What',
    width: 'minmax(14rem, 1fr)',
    cell: ({ run_id: runId, operation }) => (
      <Link to="/usage/receipts/$runId" params={{ runId }}>
        {operationName(operation)}
      </Link>
    ),
  },
  {
    id: 'opened',
    header: 'Begun',
    width: '12rem',
    cell: ({ opened_at: at }) => <time dateTime={at}>{formatMoment(at)}</time>,
  },
  {
    id: 'state',
    header: 'State',
    width: '9rem',
    cell: ({ state }) => <Badge tone={receiptStates[state].tone}>{receiptStates[state].name}</Badge>,
  },
  {
    id: 'reserved',
    header: 'Reserved',
    width: '6.5rem',
    align: 'end',
    cell: row => formatNumber(row.reserved),
  },
  { id: 'spent', header: 'Spent', width: '6rem', align: 'end', cell: row => formatNumber(row.spent) },
  {
    id: 'returned',
    header: 'Returned',
    width: '6.5rem',
    align: 'end',
    cell: row => formatNumber(row.returned),
  },
];

/** What became of the credits of each piece of work. */
export function ReceiptsScreen() {
  const { period } = route.useSearch();
  const navigate = route.useNavigate();
  const query = { ...momentsOf(daysOf(period ?? periodDefault, new Date())), limit: pageRows };
  const pages = $api.useInfiniteQuery('get', '/receipts', { params: { query } }, byCursor);
  const rows = useMemo(() => pages.data?.pages.flatMap(({ receipts }) => receipts) ?? [], [pages.data]);
  return (
    <UsageFrame period={period} onPeriod={next => navigate({ search: { period: next }, replace: true })}>
      {pages.isPending && <Loading lines={8} name="Loading the receipts" />}
      {pages.isError && <Failure error={pages.error} onRetry={pages.refetch} />}
      {pages.data && rows.length === 0 && (
        <Empty title="No receipts in this period">
          Whatever sets credits aside has a receipt: what was reserved, spent and returned.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable name="Receipts" columns={columns} rows={rows} rowId={({ run_id: id }) => id} />
      )}
      {pages.hasNextPage && (
        <Row>
          <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            Show older ones
          </Button>
        </Row>
      )}
    </UsageFrame>
  );
}
