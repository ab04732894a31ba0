import { getRouteApi, Link } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { formatCredits, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Facts, Page, Row } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { operationName, receiptStates } from '../../ledger/operations.ts';
import { daysOf, momentsOf, periodDefault } from '../../ledger/spending.ts';
import { useSession } from '../../shell/session.ts';
import styles from './receipts-screen.module.css';
import { UsageFrame } from './usage-frame.tsx';

type ListedReceipt = Schema['Receipt'];

const listRoute = getRouteApi('/signed-in/usage/receipts');
const pageRows = 100;

const columns: readonly Column<ListedReceipt>[] = [
  {
    id: 'what',
    header: 'Operation',
    width: 'minmax(14rem, 1fr)',
    cell: ({ run_id: runId, operation }) => (
      <Link to="/usage/receipts/$runId" params={{ runId }}>
        {operationName(operation)}
      </Link>
    ),
  },
  {
    id: 'opened',
    header: 'Started',
    width: '12rem',
    cell: ({ opened_at: at }) => <time dateTime={at}>{formatMoment(at)}</time>,
  },
  {
    id: 'state',
    header: 'Status',
    width: '9rem',
    cell: ({ state }) => <StateBadge look={receiptStates[state]} />,
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

/** What happened to the credits of each run. */
export function ReceiptsScreen() {
  const { period } = listRoute.useSearch();
  const navigate = listRoute.useNavigate();
  const query = { ...momentsOf(daysOf(period ?? periodDefault, new Date())), limit: pageRows };
  const pages = $api.useInfiniteQuery('get', '/receipts', { params: { query } }, byCursor);
  const rows = useMemo(() => pages.data?.pages.flatMap(({ receipts }) => receipts) ?? [], [pages.data]);
  return (
    <UsageFrame
      title="Receipts"
      lead="Each run and list, with the credits that it reserved, spent and returned."
      period={period}
      onPeriod={next => navigate({ search: { period: next }, replace: true })}
    >
      {pages.isPending && <Loading lines={8} name="Loading receipts" />}
      {pages.isError && <Failure error={pages.error} onRetry={pages.refetch} />}
      {pages.data && rows.length === 0 && (
        <Empty title="No receipts in this period">
          Every operation that reserves credits has a receipt: credits reserved, spent and returned.
        </Empty>
      )}
      {rows.length > 0 && (
        <DataTable name="Receipts" columns={columns} rows={rows} rowId={({ run_id: id }) => id} />
      )}
      {pages.hasNextPage && (
        <Row>
          <Button busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            Show older
          </Button>
        </Row>
      )}
    </UsageFrame>
  );
}

const receiptRoute = getRouteApi('/signed-in/usage/receipts/$runId');

/** How often the receipt is polled while credits are held. */
const followMs = 5_000;

/** One receipt as a printable document. */
export function ReceiptScreen() {
  const { runId } = receiptRoute.useParams();
  const receipt = $api.useQuery(
    'get',
    '/receipts/{run_id}',
    { params: { path: { run_id: runId } } },
    { refetchInterval: ({ state }) => (state.data?.state === 'pending' ? followMs : false) },
  );
  return (
    <Page
      title="Receipt"
      actions={
        <div className={styles.screenOnly}>
          <LinkButton to="/usage/receipts" search={{ period: undefined }}>
            All receipts
          </LinkButton>
          <Button onClick={() => window.print()}>
            <Printer size={16} aria-hidden />
            Print
          </Button>
        </div>
      }
    >
      {receipt.isPending && <Loading lines={5} name="Loading receipt" />}
      {receipt.isError && <NoReceipt error={receipt.error} onRetry={receipt.refetch} />}
      {receipt.data && <Document receipt={receipt.data} />}
    </Page>
  );
}

function NoReceipt({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  if (!isMissing(error)) return <Failure error={error} onRetry={onRetry} />;
  return (
    <Empty
      title="Receipt not found"
      action={
        <LinkButton to="/usage/receipts" search={{ period: undefined }}>
          All receipts
        </LinkButton>
      }
    >
      Free operations have no receipt. If this operation cost credits, check that the URL is complete.
    </Empty>
  );
}

function Document({ receipt }: { readonly receipt: Schema['Receipt'] }) {
  const { account } = useSession();
  const look = receiptStates[receipt.state];
  const facts: (readonly [string, ReactNode])[] = [
    ['Account', account.name],
    ['For', operationName(receipt.operation)],
    ['Status', <StateBadge key="state" look={look} />],
    ['Started', formatMoment(receipt.opened_at)],
    ['Ended', receipt.closed_at === null ? 'Not yet' : formatMoment(receipt.closed_at)],
    ['Receipt ID', <code key="run">{receipt.run_id}</code>],
  ];
  if (receipt.request_id !== null && receipt.request_id !== receipt.run_id) {
    facts.push(['Request', <code key="request">{receipt.request_id}</code>]);
  }
  const isOpen = receipt.state === 'pending';
  return (
    <Card className={styles.document}>
      <p className={styles.printOnly}>Mailproof</p>
      <Receipt
        reserved={receipt.reserved}
        spent={isOpen ? null : receipt.spent}
        returned={isOpen ? null : receipt.returned}
      />
      <p>{look.sentence}</p>
      {receipt.refunded > 0 && (
        <p>
          <strong>{formatCredits(receipt.refunded)} refunded</strong> of what was spent.
        </p>
      )}
      <Facts facts={facts} />
      <p className={styles.soft}>
        For each entry, see the{' '}
        <Link to="/usage/statement" search={{ period: undefined, show: undefined }}>
          statement
        </Link>
        .
      </p>
    </Card>
  );
}
