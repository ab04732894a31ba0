import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Receipt } from '../../design/credits.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { runsQuery } from './run-query.ts';
import styles from './run-receipts.module.css';
import type { Run } from './run-states.ts';
import { RunState, RunTable } from './run-table.tsx';
import { outcomeOf, runWords } from './run-words.ts';

interface RunReceiptsProps {
  readonly searchId: string;
  /** Where to go from here, once something was delivered. */
  readonly next?: ReactNode;
}

/** What became of the latest run of a search and of its credits, and of those before. */
export function RunReceipts({ searchId, next }: RunReceiptsProps) {
  const { data, isError, error, refetch } = useQuery(runsQuery(searchId));
  const [last, ...earlier] = (data?.runs ?? []).filter(({ ended_at }) => ended_at !== null);
  return (
    <>
      {isError && <Failure error={error} onRetry={refetch} />}
      {last && (
        <Card title="Latest run" actions={<RunState run={last} />}>
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
        <Notice tone="bad" title="The run has failed">
          {run.failure.detail} What it had {runWords[run.kind].done} stays; the rest of its credits came back.
        </Notice>
      )}
      <Receipt reserved={run.reserved} spent={run.spent} returned={run.returned} receiptId={run.receipt_id} />
    </>
  );
}
