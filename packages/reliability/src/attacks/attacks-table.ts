import { circumstances, markdownTable } from '../markdown-table.ts';
import type { AttackOutcome } from './run-attacks.ts';

const header = ['hostile client', 'another customer’s p99 ms', 'failed', 'memory MiB', 'log MiB', 'verdict'];

/** The table, with everything that was wrong below it. */
export function attacksTable(startedAt: Date, outcomes: readonly AttackOutcome[]): string {
  const wrong = outcomes.flatMap(({ title, faults }) => faults.map(fault => `- ${title}: ${fault}`));
  return [
    markdownTable(header, outcomes.map(rowOf)),
    ...(wrong.length > 0 ? [wrong.join('\n')] : []),
    circumstances(startedAt),
  ].join('\n\n');
}

function rowOf({ title, requests, memory, logMiB, faults }: AttackOutcome): string[] {
  return [
    title,
    requests
      .map(({ name, withoutMs, duringMs }) => `${name} ${fixed(withoutMs)} → ${fixed(duringMs)}`)
      .join(', '),
    String(requests.reduce((sum, { failed }) => sum + failed, 0)),
    `${memory.service} ${memory.withoutMiB.toFixed(0)} → ${memory.duringMiB.toFixed(0)}`,
    logMiB.toFixed(1),
    faults.length === 0 ? 'held' : 'BROKEN',
  ];
}

function fixed(ms: number): string {
  return ms.toFixed(1);
}
