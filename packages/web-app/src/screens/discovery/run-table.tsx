import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/badge.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { type Column, DataTable } from '../../design/table.tsx';
import { type Run, runStates } from './run-states.ts';

/** Runs that have ended, each with the way to its receipt. */
export function RunTable({ runs }: { readonly runs: readonly Run[] }) {
  return <DataTable name="Earlier runs" columns={columns} rows={runs} rowId={run => run.run_id} />;
}

export function RunState({ run }: { readonly run: Run }) {
  const { word, tone } = runStates[run.state];
  return <Badge tone={tone}>{word}</Badge>;
}

const columns: readonly Column<Run>[] = [
  {
    id: 'when',
    header: 'Started',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ created_at }) => formatMoment(created_at),
  },
  { id: 'state', header: 'State', width: '8rem', cell: run => <RunState run={run} /> },
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
