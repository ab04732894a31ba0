import type { HoldId } from '@mailproof/shared-types';
import {
  hasEnded,
  type PaidRun,
  type PaidRunFailure,
  type RunChange,
  type RunEnding,
  receiptIdOf,
} from './paid-run.ts';
import type { Delivered, RunPorts, RunTally } from './run-ports.ts';

/** As those who deliver say. `ended`: there is nothing left to do, or the run is gone. */
export type Advance = Delivered | 'ended';

/** A hold stands for so long unless it is renewed, and is renewed when so much is left, in milliseconds. */
export const holdMs = 3_600_000;
const holdLeftMsMin = 1_800_000;

/**
 * Takes a run one step further. Every step ends with one change in the store, and whatever happens outside of it can be
 * repeated, so that a run goes on from wherever it was killed, and two workers that advance the same run do no harm:
 * whoever finds the run changed looks again (ADR 0033).
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

/** Asks for the hold whose number and amount are written down. */
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
      // A run that is ending needs no more than it has to pay.
      await ports.runs.change(run, nextHold(run, Math.min(run.charge ?? holdAmount, holdAmount)));
      return;
    case 'refused':
      await goOnWithout(ports, run, outcome.available);
  }
}

/** Somebody else took the run further meanwhile: maybe with this very hold, maybe without. */
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
 * The account cannot pay for the whole run any more. What was delivered is charged as far as its credits reach; the run
 * delivers nothing more.
 */
async function goOnWithout<Run extends PaidRun, Transaction>(
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
  // As much as it had a moment ago may be refused too, when others spend at the same time: then it is asked again.
  await ports.runs.change(run, nextHold(run, payable));
}

/** A hold of the next number: the one before is known not to stand, or was never made. */
function nextHold({ holds }: PaidRun, holdAmount: number): RunChange {
  return { holds: holds + 1, holdAmount, holdId: null, holdExpiresAt: null };
}

/** True when the hold stands for long enough to take a step and to settle. */
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
  // Nothing was charged for what was delivered so far, so that the next one is for the whole run again.
  if (await ports.runs.change(run, nextHold(run, run.creditsMax))) {
    ports.events.runHoldLost(run);
  }
  return false;
}

/**
 * What a run has to pay is counted once, from the rows that name it, and written down ahead of the settlement, so that a
 * settlement that is repeated says the same.
 */
export async function endingOf<Run extends PaidRun, Transaction>(
  { work }: Pick<RunPorts<Run, Transaction>, 'work'>,
  run: Run,
  transaction: Transaction,
  ending: RunEnding,
): Promise<RunTally> {
  return { ...(await work.tally(run, transaction)), ending };
}

/** Lets a run deliver nothing more, and pay what it has delivered. False when it changed meanwhile. */
export async function beginEnding<Run extends PaidRun, Transaction>(
  ports: Pick<RunPorts<Run, Transaction>, 'runs' | 'work'>,
  run: Run,
  ending: RunEnding,
  failure?: PaidRunFailure,
): Promise<boolean> {
  return ports.runs.changeWith(run, async transaction => ({
    ...(await endingOf(ports, run, transaction, ending)),
    ...(failure !== undefined && { failure }),
  }));
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
    // Also where nothing is to be paid: somebody who was killed or overtaken may have made this very hold.
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
