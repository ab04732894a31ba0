import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateBadge } from '../../design/badge.tsx';
import { Receipt } from '../../design/credits.tsx';
import { countOf, formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { type Run, runStates } from '../work-states.ts';
import { runsQuery } from './run-query.ts';
import styles from './run-receipts.module.css';
import { outcomeOf, runWords } from './run-words.ts';

interface RunReceiptsProps {
  readonly searchId: string;
  /** Links to the next step, shown after a delivery. */
  readonly next?: ReactNode;
}

/** The latest run of a search with its credits, and the earlier runs. */
export function RunReceipts({ searchId, next }: RunReceiptsProps) {
  const { data, isError, error, refetch } = useQuery(runsQuery(searchId));
  const [last, ...earlier] = (data?.runs ?? []).filter(({ ended_at }) => ended_at !== null);
  return (
    <>
      {isError && <Failure error={error} onRetry={refetch} />}
      {last && (
        <Card title="Latest run" actions={<StateBadge look={runStates[last.state]} />}>
          <Outcome run={last} />
          {last.delivered > 0 && next && <Row>{next}</Row>}
          {earlier.length > 0 && (
            <details className={styles.earlier}>
              <summary>{countOf(earlier.length, 'earlier run')}</summary>
              <RunTable runs={earlier} />
            </details>
          )}
        </Card>
      )}
    </>
  );
}

function Outcome({ run }: { readonly run: Run }) {
  return (
    <>
      <p role="status">
        {outcomeOf(run)}, {formatMoment(run.ended_at ?? run.created_at)}.
      </p>
      {run.failure && (
        <Notice tone="bad" title="The run failed">
          {run.failure.detail} Results that it {runWords[run.kind].done} are kept; the remaining credits were
          returned.
        </Notice>
      )}
      <Receipt reserved={run.reserved} spent={run.spent} returned={run.returned} receiptId={run.receipt_id} />
    </>
  );
}

/** Ended runs, each with a link to its receipt. */
function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  return <DataTable name="Earlier runs" columns={columns} rows={runs} rowId={run => run.run_id} />;
}

const columns: readonly Column<Run>[] = [
  {
    id: 'when',
    header: 'Started',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ created_at }) => formatMoment(created_at),
  },
  { id: 'state', header: 'Status', width: '8rem', cell: run => <StateBadge look={runStates[run.state]} /> },
  {
    id: 'delivered',
    header: 'Delivered',
    width: '6rem',
    align: 'end',
    cell: run => formatNumber(run.delivered),
  },
  {
    id: 'spent',
    header: 'Credits',
    width: '6rem',
    align: 'end',
    cell: run => formatNumber(run.spent ?? 0),
  },
  {
    id: 'receipt',
    header: 'Receipt',
    width: '6rem',
    cell: run => (
      <Link to="/usage/receipts/$runId" params={{ runId: run.receipt_id }}>
        Receipt
      </Link>
    ),
  },
];
