import { getRouteApi, Link } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Receipt } from '../../design/credits.tsx';
import { formatCredits, formatMoment } from '../../design/format.ts';
import { Card, Facts, Page } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { operationName } from '../../ledger/operations.ts';
import { receiptStates } from '../../ledger/receipts.ts';
import styles from './receipt.module.css';

const route = getRouteApi('/signed-in/usage/receipts/$runId');

/** While credits are set aside, the receipt is looked at again so often. */
const followMs = 5_000;

/** One receipt, as a document that can be printed. */
export function ReceiptScreen() {
  const { runId } = route.useParams();
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
      {receipt.isPending && <Loading lines={5} name="Loading the receipt" />}
      {receipt.isError && <NoReceipt error={receipt.error} onRetry={receipt.refetch} />}
      {receipt.data && <Document receipt={receipt.data} />}
    </Page>
  );
}

function NoReceipt({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  if (asProblem(error).code !== 'receipt_not_found') return <Failure error={error} onRetry={onRetry} />;
  return (
    <Empty
      title="There is no such receipt"
      action={
        <LinkButton to="/usage/receipts" search={{ period: undefined }}>
          All receipts
        </LinkButton>
      }
    >
      What cost nothing has no receipt. Otherwise the address may not be complete.
    </Empty>
  );
}

function Document({ receipt }: { readonly receipt: Schema['Receipt'] }) {
  const { account } = useSession();
  const { name, tone, sentence } = receiptStates[receipt.state];
  const facts: (readonly [string, ReactNode])[] = [
    ['Account', account.name],
    ['For', operationName(receipt.operation)],
    [
      'State',
      <Badge key="state" tone={tone}>
        {name}
      </Badge>,
    ],
    ['Begun', formatMoment(receipt.opened_at)],
    ['Ended', receipt.closed_at === null ? 'Not yet' : formatMoment(receipt.closed_at)],
    ['Number', <code key="run">{receipt.run_id}</code>],
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
      <p>{sentence}</p>
      {receipt.refunded > 0 && (
        <p>
          <strong>{formatCredits(receipt.refunded)} refunded</strong> of what was spent.
        </p>
      )}
      <Facts facts={facts} />
      <p className={styles.soft}>
        Each movement behind it stands in the{' '}
        <Link to="/usage/statement" search={{ period: undefined, show: undefined }}>
          statement
        </Link>
        .
      </p>
    </Card>
  );
}
