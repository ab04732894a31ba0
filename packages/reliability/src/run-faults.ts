import type { Fault } from './faults/fault.ts';
import { type Ground, openGround } from './ground.ts';
import { abortedOutcome, type Outcome, runFault } from './run-fault.ts';

export interface FaultsRun {
  readonly startedAt: Date;
  readonly rows: number;
  readonly outcomes: readonly Outcome[];
  /** Faults that this machine cannot inject, each with the reason. */
  readonly left: readonly { readonly name: string; readonly title: string; readonly reason: string }[];
}

export interface FaultsPlan {
  readonly faults: readonly Fault[];
  /** The rows of each list that is validated or pushed. */
  readonly rows: number;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

/** Enough addresses that single validations rarely repeat an address. */
const addressesPerRow = 10;

/** Injects one fault after the other. Faults that need the same processes share them, as faults do in a real system. */
export async function runFaults({ faults, rows, signal, report }: FaultsPlan): Promise<FaultsRun> {
  const startedAt = new Date();
  const left = faults.flatMap(({ name, title, lacks }) => {
    const reason = lacks?.();
    return reason === undefined ? [] : [{ name, title, reason }];
  });
  const possible = faults.filter(({ name }) => !left.some(each => each.name === name));
  const outcomes: Outcome[] = [];
  for (const group of Map.groupBy(possible, groundOf).values()) {
    outcomes.push(...(await runGroup(group, { rows, signal, report })));
  }
  return { startedAt, rows, outcomes, left };
}

/** Serializes to JSON, which cannot represent infinity. */
export function jsonOf(thing: object): string {
  return JSON.stringify(thing, (_, value) => (value === Number.POSITIVE_INFINITY ? 'never' : value));
}

/** After a fault that leaves the ground unusable, the remaining faults get a new ground. */
async function runGroup(
  group: readonly Fault[],
  { rows, signal, report }: Omit<FaultsPlan, 'faults'>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let ground: Ground | undefined;
  try {
    for (const fault of group) {
      report(fault.title);
      ground ??= await openFor(fault, rows, signal);
      try {
        const outcome = await runFault(fault, ground, rows, signal);
        outcomes.push(outcome);
        if (!outcome.isHeld) report(`BROKEN: ${jsonOf(outcome)}`);
      } catch (error) {
        signal.throwIfAborted();
        outcomes.push(abortedOutcome(fault, error));
        report(`BROKEN: ${error}`);
        await ground.stop();
        ground = undefined;
      }
    }
  } finally {
    await ground?.stop();
  }
  return outcomes;
}

function groundOf({ name, replicas = 1, env }: Fault): string {
  return env ? name : String(replicas);
}

function openFor({ replicas = 1, env }: Fault, rows: number, signal: AbortSignal): Promise<Ground> {
  return openGround({ replicas, addresses: rows * addressesPerRow, signal, ...(env && { env: env() }) });
}
