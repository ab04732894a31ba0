import type { Fault } from './faults/fault.ts';
import type { Ground } from './ground.ts';
import { type Judgment, judge, readLedger } from './judge.ts';
import { type Preparation, prepare, type Recovery, startWorkload } from './workload.ts';

/** A row of the table. */
export interface Outcome extends Judgment {
  readonly name: string;
  readonly title: string;
  /** The recovery time of the slowest kind of work, from the moment at which everything was repaired. */
  readonly recoverySeconds: number;
  readonly recovery: Recovery;
  readonly requests: number;
  /** Counts of the attempts that got "later" or no response, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly isHeld: boolean;
}

/** The longest allowed time from the repair to the first success of each kind of work, in seconds. */
export const recoverySecondsMax = 15;

const preparations = new WeakMap<Ground, Preparation>();

/** Lets customers work, injects the fault in the middle, and judges the result. */
export async function runFault(
  fault: Fault,
  ground: Ground,
  rows: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const preparation = preparations.get(ground) ?? (await prepare(ground, rows, signal));
  preparations.set(ground, preparation);
  const ledger = await readLedger(ground);
  const workload = await startWorkload(ground, preparation, rows, signal);
  await fault.strike(ground);
  const recovery = await workload.recovery(Date.now());
  const work = await workload.finish();
  const judgment = await judge(ground, preparation, ledger, work, signal);
  const recoverySeconds = Math.max(...Object.values(recovery).map(seconds => seconds ?? 0));
  const refused = countOf(work.refusals.map(({ status }) => (status === 0 ? 'no answer' : String(status))));
  const isSeamless = work.refusals.length === 0;
  const unforeseen = work.refusals.find(({ status }) => status === 500);
  return {
    ...{ name: fault.name, title: fault.title, recoverySeconds, recovery, refused },
    requests: work.requests,
    ...judgment,
    faults: [
      ...judgment.faults,
      ...(unforeseen ? [`not foreseen: ${JSON.stringify(unforeseen)}`] : []),
      ...(fault.isSeamless && !isSeamless ? [`refused: ${JSON.stringify(work.refusals[0])}`] : []),
    ],
    isHeld:
      judgment.faults.length === 0 &&
      !unforeseen &&
      recoverySeconds <= recoverySecondsMax &&
      (!fault.isSeamless || isSeamless),
  };
}

/** The row for a fault after which the work could not be judged. */
export function abortedOutcome({ name, title }: Fault, error: unknown): Outcome {
  const never = Number.POSITIVE_INFINITY;
  return {
    ...{ name, title, recoverySeconds: never, requests: 0, refused: {}, lost: 0, chargedTwice: 0 },
    recovery: { single: never, tool: never, job: never, push: never },
    faults: [error instanceof Error ? error.message : String(error)],
    isHeld: false,
  };
}

function countOf(things: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const thing of things) counts[thing] = (counts[thing] ?? 0) + 1;
  return counts;
}
