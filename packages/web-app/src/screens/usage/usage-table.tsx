import { useMemo } from 'react';
import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';
import { type Column, DataTable } from '../../design/table.tsx';
import { operationName } from '../../ledger/operations.ts';
import styles from './usage.module.css';

type UsageDay = Schema['Usage']['days'][number];

const columns: readonly Column<UsageDay>[] = [
  { id: 'day', header: 'Day', width: 'minmax(7rem, 1fr)', cell: ({ day }) => day },
  { id: 'what', header: 'What', width: 'minmax(12rem, 2fr)', cell: row => operationName(row.operation) },
  { id: 'spent', header: 'Credits', width: '7rem', align: 'end', cell: row => formatNumber(row.spent) },
];

/** The chart in numbers. */
export function UsageTable({ usage }: { readonly usage: Schema['Usage'] }) {
  const rows = useMemo(() => usage.days.toReversed(), [usage]);
  return (
    <details className={styles.more}>
      <summary>The same as a table</summary>
      <DataTable
        name="Credits by day and operation"
        columns={columns}
        rows={rows}
        rowId={({ day, operation }) => `${day} ${operation}`}
      />
    </details>
  );
}
