import type { AuditReport } from '../domain/audit/audit.ts';

/** An audit in lines that people read: what was looked at, and each fault with its account. */
export function auditTable({ accounts, faults, faultsTotal, unexamined }: AuditReport): string {
  const lines = [`Accounts examined: ${accounts}. Faults: ${faultsTotal === 0 ? 'none' : faultsTotal}.`];
  const rows = [
    ...faults.map(({ invariant, accountId, subject }) => [invariant, accountId, subject]),
    ...unexamined.map(accountId => ['took too long, not examined', accountId, '']),
  ];
  if (rows.length > 0) {
    lines.push('', ...aligned([['invariant', 'account', 'seen at'], ...rows]));
  }
  if (faultsTotal > faults.length) {
    lines.push(`and ${faultsTotal - faults.length} more`);
  }
  return lines.join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
