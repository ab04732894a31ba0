import type { HoldId } from '@mailproof/shared-types';
import {
  hasEnded,
  type PaidRun,
  type PaidRunFailure,
  type RunChange,
  type RunEnding,
  receiptIdOf,
} from './paid-run.ts';
import type { RunPorts, RunTally } from './run-ports.ts';
import type { Advance, NextJob } from './work.ts';

/** The lifetime of a hold, and the remaining time at which it is renewed, in milliseconds. */
const holdMs = 3_600_000;
const holdLeftMsMin = 1_800_000;

/**
 * Advances a run by one step. Every step ends with one change in the store, and its other effects are idempotent. So a
 * run that was killed continues from any point, and two workers that advance the same run do no harm: the one that
 * finds the run changed reads it again (ADR 0033).
 */
export async function advanceRun<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  runId: Run['runId'],
): Promise<Advance> {
  const run = await ports.runs.find(runId);
  if (!run || hasEnded(run)) {
    return 'ended';
  }
  if (run.ending !== null) {
    return settle(ports, run, run.ending);
  }
  if (run.holdId === null) {
    await takeHold(ports, run);
    return 'more';
  }
  return (await renewHold(ports, run, run.holdId)) ? ports.work.deliver(run) : 'more';
}

/** Requests the hold whose number and amount are stored. */
async function takeHold<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  run: Run,
): Promise<void> {
  const { accountId, holdAmount, requestId } = run;
  const outcome = await ports.credits.hold({
    accountId,
    receiptId: receiptIdOf(run),
    amount: holdAmount,
    cause: ports.work.causeOf(run),
    requestId,
    expiresInMs: holdMs,
  });
  switch (outcome.kind) {
    case 'held': {
      const { holdId, expiresAt } = outcome;
      if (!(await ports.runs.change(run, { holdId, holdExpiresAt: expiresAt }))) {
        await releaseUnlessUsed(ports, run, holdId);
      }
      return;
    }
    case 'over':
      // A run that is ending needs a hold only for its charge.
      await ports.runs.change(run, nextHold(run, Math.min(run.charge ?? holdAmount, holdAmount)));
      return;
    case 'refused':
      await continueWithoutHold(ports, run, outcome.available);
  }
}

/** Another worker has advanced the run meanwhile, with or without this hold. */
async function releaseUnlessUsed<Run extends PaidRun, Transaction>(
  { runs, credits }: RunPorts<Run, Transaction>,
  run: Run,
  holdId: HoldId,
): Promise<void> {
  const current = await runs.find(run.runId);
  if (current?.holds !== run.holds) {
    await credits.release(holdId);
  }
}

/**
 * The account can no longer pay for the whole run. The run delivers nothing more, and what was delivered is charged as
 * far as the credits suffice.
 */
async function continueWithoutHold<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  run: Run,
  available: number,
): Promise<void> {
  if (run.ending === null) {
    await ports.runs.changeWith(run, async transaction => {
      const ending = await endingOf(ports, run, transaction, 'failed');
      return { ...ending, failure: 'credits_exhausted', ...nextHold(run, ending.charge) };
    });
    return;
  }
  const charge = run.charge ?? 0;
  const payable = Math.min(charge, available);
  // Even this amount may be refused if others spend at the same time; then the next step requests a smaller hold.
  await ports.runs.change(run, nextHold(run, payable));
}

/** A hold with the next number: the previous one has ended or was never made. */
function nextHold({ holds }: PaidRun, holdAmount: number): RunChange {
  return { holds: holds + 1, holdAmount, holdId: null, holdExpiresAt: null };
}

/** True if the hold lasts long enough to take a step and to settle. */
async function renewHold<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  run: Run,
  holdId: HoldId,
): Promise<boolean> {
  const leftMs = (run.holdExpiresAt?.getTime() ?? 0) - ports.now().getTime();
  if (leftMs >= holdLeftMsMin) {
    return true;
  }
  const renewed = await ports.credits.renew(holdId, holdMs);
  if (renewed !== 'lost') {
    await ports.runs.change(run, { holdExpiresAt: renewed.expiresAt });
    return false;
  }
  // Nothing was charged for what was delivered so far, so the next hold is for the whole run again.
  if (await ports.runs.change(run, nextHold(run, run.creditsMax))) {
    ports.events.runHoldLost(run);
  }
  return false;
}

/**
 * Counts the charge of a run once, from the rows that name it, and stores it before the settlement, so that a repeated
 * settlement has the same amount.
 */
export async function endingOf<Run extends PaidRun, Transaction>(
  { work }: Pick<RunPorts<Run, Transaction>, 'work'>,
  run: Run,
  transaction: Transaction,
  ending: RunEnding,
): Promise<RunTally> {
  return { ...(await work.tally(run, transaction)), ending };
}

/**
 * Stops the delivery of a run, which then pays for what it has delivered. Undefined if the run has changed meanwhile.
 */
export async function beginEnding<Run extends PaidRun, Transaction>(
  ports: Pick<RunPorts<Run, Transaction>, 'runs' | 'work'>,
  run: Run,
  ending: RunEnding,
  { failure, nextJob }: { readonly failure?: PaidRunFailure; readonly nextJob?: NextJob } = {},
): Promise<Run | undefined> {
  return ports.runs.changeWith(
    run,
    async transaction => ({
      ...(await endingOf(ports, run, transaction, ending)),
      ...(failure !== undefined && { failure }),
    }),
    nextJob,
  );
}

async function settle<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  run: Run,
  ending: RunEnding,
): Promise<Advance> {
  const charge = run.charge ?? 0;
  if (run.holdId === null) {
    if (run.holdAmount === 0) {
      return finish(ports, run, ending, 0);
    }
    // Needed even with nothing to pay: a worker that was killed or overtaken may have made this hold, which must be
    // settled.
    await takeHold(ports, run);
    return 'more';
  }
  const spent = Math.min(charge, run.holdAmount);
  if ((await ports.credits.settle(run.holdId, spent)) === 'settled') {
    return finish(ports, run, ending, spent);
  }
  if (spent === 0) {
    // Nothing was to be paid, and nothing is held.
    return finish(ports, run, ending, 0);
  }
  if (await ports.runs.change(run, nextHold(run, charge))) {
    ports.events.runHoldLost(run);
  }
  return 'more';
}

async function finish<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  run: Run,
  ending: RunEnding,
  spent: number,
): Promise<Advance> {
  const endedAt = ports.now();
  if (!(await ports.runs.change(run, { state: ending, spent, endedAt }))) {
    return 'more';
  }
  ports.events.runEnded(run, spent);
  if (spent < (run.charge ?? 0)) {
    ports.events.runUnpaid(run, (run.charge ?? 0) - spent);
  }
  return 'ended';
}
