import type { HoldId } from '@mailproof/shared-types';
import { advanceRun, beginEnding } from './advance-run.ts';
import { hasEnded, type PaidRun, receiptIdOf } from './paid-run.ts';
import type { HoldOutcome, RunCredits, RunPorts } from './run-ports.ts';
import { judgeFault, type StepOptions, takeSteps } from './work.ts';

/**
 * The lifetime of the first hold, in milliseconds. It is short because a process that dies before it records the hold
 * leaves the credits locked for this long. The run's first step renews it.
 */
const startHoldMs = 600_000;
/**
 * The most holds that earlier attempts to start the run may have left behind, which died or were refused after making a
 * hold.
 */
const startHoldsMax = 20;

export interface DriveRunOptions<Run extends PaidRun, Transaction> extends StepOptions {
  readonly ports: RunPorts<Run, Transaction>;
  /** Schedules a step, if runs take turns. */
  readonly inTurn?: <Result>(run: Run, step: () => Promise<Result>) => Promise<Result>;
}

/** Advances a run step by step until it has ended or waits. */
export async function driveRun<Run extends PaidRun, Transaction>(
  { ports, inTurn = (_run, step) => step(), ...options }: DriveRunOptions<Run, Transaction>,
  runId: Run['runId'],
): Promise<'waits' | 'ended'> {
  const run = await ports.runs.find(runId);
  return run
    ? takeSteps(
        () => inTurn(run, () => advanceRun(ports, runId)),
        isUnavailable => noteRunFault(ports, runId, isUnavailable),
        options,
      )
    : 'ended';
}

/**
 * Records that advancing a run failed, and ends the run after too many failures. An unavailable dependency does not
 * count as a failure: the run waits for it, up to a day. A run that is ending keeps trying to settle.
 */
export async function noteRunFault<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  runId: Run['runId'],
  isUnavailable: boolean,
): Promise<void> {
  const run = await ports.runs.find(runId);
  if (!run || hasEnded(run) || run.ending !== null) {
    return;
  }
  const judged = judgeFault(run, isUnavailable, ports.now());
  if (judged === 'count') {
    await ports.runs.change(run, { failedAttempts: run.failedAttempts + 1 });
  } else if (judged !== 'retry') {
    await beginEnding(ports, run, 'failed', { failure: judged });
  }
}

/** The hold of a run that is about to start, with its number. */
export interface StartHold {
  readonly kind: 'held';
  readonly holds: number;
  readonly holdId: HoldId;
  readonly expiresAt: Date;
}

/**
 * Reserves the credits of a run before its start. `over`: earlier attempts left so many holds that no more are made.
 */
export async function holdToStart(
  credits: Pick<RunCredits, 'hold'>,
  run: Pick<PaidRun, 'runId' | 'accountId' | 'requestId'> & {
    readonly amount: number;
    readonly cause: string;
  },
): Promise<StartHold | Exclude<HoldOutcome, { kind: 'held' }>> {
  const { runId, accountId, requestId, amount, cause } = run;
  for (let holds = 1; holds <= startHoldsMax; holds += 1) {
    const receiptId = receiptIdOf({ runId, holds });
    const outcome = await credits.hold({
      accountId,
      receiptId,
      amount,
      cause,
      requestId,
      expiresInMs: startHoldMs,
    });
    if (outcome.kind !== 'over') {
      return outcome.kind === 'held' ? { ...outcome, holds } : outcome;
    }
  }
  return { kind: 'over' };
}
