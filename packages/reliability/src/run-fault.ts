import type { Fault } from './faults/fault.ts';
import type { Ground } from './ground.ts';
import { type Judgement, judge } from './judge.ts';
import { readLedger } from './ledger-entries.ts';
import { prepare } from './prepare.ts';
import { type Preparation, type Recovery, startWorkload } from './workload.ts';

/** A row of the table. */
export interface Outcome extends Judgement {
  readonly name: string;
  readonly title: string;
  /** The slowest kind of work, from the moment at which everything was whole again. */
  readonly recoverySeconds: number;
  readonly recovery: Recovery;
  readonly requests: number;
  /** Attempts that were answered with "later", or not at all, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly isHeld: boolean;
}

/** From the moment at which everything is whole again to the first success of each kind of work, in seconds. */
export const recoverySecondsMax = 15;

const preparations = new WeakMap<Ground, Preparation>();

/** Lets customers work, breaks something in the middle, and judges what came of it. */
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
  const judgement = await judge(ground, preparation, ledger, work, signal);
  const recoverySeconds = Math.max(...Object.values(recovery).map(seconds => seconds ?? 0));
  const refused = countOf(work.refusals.map(({ status }) => (status === 0 ? 'no answer' : String(status))));
  const isSeamless = work.refusals.length === 0;
  const unforeseen = work.refusals.find(({ status }) => status === 500);
  return {
    ...{ name: fault.name, title: fault.title, recoverySeconds, recovery, refused },
    requests: work.requests,
    ...judgement,
    faults: [
      ...judgement.faults,
      ...(unforeseen ? [`not foreseen: ${JSON.stringify(unforeseen)}`] : []),
      ...(fault.isSeamless && !isSeamless ? [`refused: ${JSON.stringify(work.refusals[0])}`] : []),
    ],
    isHeld:
      judgement.faults.length === 0 &&
      !unforeseen &&
      recoverySeconds <= recoverySecondsMax &&
      (!fault.isSeamless || isSeamless),
  };
}

/** The row of a fault after which the work could not be judged at all. */
export function brokenOff({ name, title }: Fault, error: unknown): Outcome {
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
