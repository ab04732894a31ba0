import { circumstances, markdownTable } from './markdown-table.ts';
import type { Outcome } from './run-fault.ts';
import type { FaultsRun } from './run-faults.ts';

const header = ['fault', 'recovery s', 'requests', 'refused meanwhile', 'lost', 'charged twice', 'verdict'];

/** The table, in Markdown that also reads well in a terminal, with everything that was wrong below it. */
export function faultsTable({ startedAt, rows, outcomes, left }: FaultsRun): string {
  const wrong = outcomes.flatMap(({ title, faults }) => faults.map(fault => `- ${title}: ${fault}`));
  const leftOut = left.map(({ title, reason }) => `- Left out: ${title}, since ${reason}.`);
  return [
    markdownTable(header, outcomes.map(rowOf)),
    ...(wrong.length > 0 ? [wrong.join('\n')] : []),
    ...(leftOut.length > 0 ? [leftOut.join('\n')] : []),
    `Lists of ${rows} rows. ${circumstances(startedAt)}`,
  ].join('\n\n');
}

function rowOf(outcome: Outcome): string[] {
  const refused = Object.entries(outcome.refused).map(([status, count]) => `${count} × ${status}`);
  return [
    outcome.title,
    Number.isFinite(outcome.recoverySeconds) ? outcome.recoverySeconds.toFixed(1) : 'never',
    String(outcome.requests),
    refused.join(', ') || '0',
    String(outcome.lost),
    String(outcome.chargedTwice),
    outcome.isHeld ? 'held' : 'BROKEN',
  ];
}
