import type { DiscoveryRunId, HoldId } from '@mailproof/shared-types';
import { creditsOf, hasEnded, type Run, type RunChange, type RunEnding, receiptIdOf } from './run.ts';
import { deliveredRunOf, type RunPorts } from './run-ports.ts';

/** `more`: there is something left to do. `ended`: there is nothing, or the run is gone. */
export type Advance = 'more' | 'ended';

/** A hold stands for so long unless it is renewed, and is renewed when so much is left, in milliseconds. */
export const holdMs = 3_600_000;
const holdLeftMsMin = 1_800_000;

/**
 * Takes a run one step further. Every step ends with one change in the store, and whatever happens outside of it can be
 * repeated, so that a run goes on from wherever it was killed, and two workers that advance the same run do no harm:
 * whoever finds the run changed looks again (ADR 0033).
 */
export async function advanceRun<Transaction>(
  ports: RunPorts<Transaction>,
  runId: DiscoveryRunId,
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
  if (await renewHold(ports, run, run.holdId)) {
    await deliverChunk(ports, run);
  }
  return 'more';
}

/** Asks for the hold whose number and amount are written down. */
async function takeHold<Transaction>(ports: RunPorts<Transaction>, run: Run): Promise<void> {
  const { accountId, holdAmount, requestId } = run;
  const outcome = await ports.credits.hold({
    accountId,
    receiptId: receiptIdOf(run),
    amount: holdAmount,
    cause: ports.deliveryOf(run.kind).cause,
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
async function releaseUnlessUsed<Transaction>(
  { runs, credits }: RunPorts<Transaction>,
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
async function goOnWithout<Transaction>(
  ports: RunPorts<Transaction>,
  run: Run,
  available: number,
): Promise<void> {
  const failed = { ending: 'failed', failure: 'credits_exhausted', hasMore: true } as const;
  if (run.ending === null) {
    await ports.runs.changeWith(run, async transaction => {
      const delivered = await countDelivered(ports, run, transaction);
      const charge = delivered * run.price;
      return { ...failed, delivered, charge, ...nextHold(run, charge) };
    });
    return;
  }
  const charge = run.charge ?? 0;
  const payable = Math.min(charge, available);
  // As much as it had a moment ago may be refused too, when others spend at the same time: then it is asked again.
  await ports.runs.change(run, nextHold(run, payable));
}

/** A hold of the next number: the one before is known not to stand, or was never made. */
function nextHold({ holds }: Run, holdAmount: number): RunChange {
  return { holds: holds + 1, holdAmount, holdId: null, holdExpiresAt: null };
}

/** True when the hold stands for long enough to deliver a chunk and to settle. */
async function renewHold<Transaction>(
  ports: RunPorts<Transaction>,
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
  if (await ports.runs.change(run, nextHold(run, creditsOf(run)))) {
    ports.events.runHoldLost(run);
  }
  return false;
}

async function deliverChunk<Transaction>(ports: RunPorts<Transaction>, run: Run): Promise<void> {
  const delivery = ports.deliveryOf(run.kind);
  const wanted = Math.min(delivery.chunkMax, run.requested - run.delivered);
  const found = await delivery.findNext({
    run: deliveredRunOf(run),
    position: run.position ?? undefined,
    wanted: Math.max(1, wanted),
  });
  await ports.runs.changeWith(run, async transaction => {
    const at = ports.now();
    const delivered = run.delivered + (await found.save(transaction));
    const moved: RunChange = {
      state: 'running',
      startedAt: run.startedAt ?? at,
      position: found.position,
      delivered,
      failedAttempts: 0,
      movedAt: at,
    };
    if (delivered < run.requested && !found.isExhausted) {
      return moved;
    }
    return {
      ...moved,
      ...(await endingOf(ports, run, transaction, 'succeeded')),
      hasMore: !found.isExhausted,
    };
  });
}

/**
 * What a run has to pay is counted once, from the rows that name it, and written down ahead of the settlement, so that a
 * settlement that is repeated says the same.
 */
async function endingOf<Transaction>(
  ports: RunPorts<Transaction>,
  run: Run,
  transaction: Transaction,
  ending: RunEnding,
): Promise<RunChange> {
  const delivered = await countDelivered(ports, run, transaction);
  return { ending, delivered, charge: delivered * run.price };
}

async function countDelivered<Transaction>(
  ports: RunPorts<Transaction>,
  run: Run,
  transaction: Transaction,
): Promise<number> {
  return ports.deliveryOf(run.kind).countDelivered(transaction, deliveredRunOf(run));
}

/** Lets a run deliver nothing more, and pay what it has delivered. False when it changed meanwhile. */
export async function beginEnding<Transaction>(
  ports: RunPorts<Transaction>,
  run: Run,
  ending: RunEnding,
  failure: Run['failure'] = null,
): Promise<boolean> {
  return ports.runs.changeWith(run, async transaction => ({
    ...(await endingOf(ports, run, transaction, ending)),
    failure,
    // It was stopped ahead of the end of its search.
    hasMore: true,
  }));
}

async function settle<Transaction>(
  ports: RunPorts<Transaction>,
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

async function finish<Transaction>(
  ports: RunPorts<Transaction>,
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
