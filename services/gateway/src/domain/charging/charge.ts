import type { HoldId } from '@mailproof/shared-types';
import type { CreditPort, ReservedCredits, RunToCharge } from './credit-port.ts';

/** A charge due once an answer is delivered: its run, and the hold that the answer relied on. */
export interface Charge extends RunToCharge {
  readonly holdId: HoldId;
}

/** The result of a charging operation, and the charge for it. */
export interface ChargedAnswer<Result> {
  readonly result: Result;
  /** Absent if the answer is free. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

/** The most holds that one run may lose; each is lost to an attempt that failed or was killed. */
const holdsMax = 20;

/**
 * Reserves the credits of a run, or finds the hold of an earlier attempt of the run. A hold that is released, or soon
 * will be, cannot be charged, so the run gets another one; a settled hold has been paid. In any case, at most one hold
 * of a run is ever settled. `neededForMs` is how long it takes until the charge is collected.
 *
 * @throws Problem `credits_exhausted`
 */
export async function reserveForRun(
  credits: Pick<CreditPort, 'reserve' | 'release'>,
  run: RunToCharge,
  neededForMs: number,
): Promise<ReservedCredits> {
  for (let count = 1; count <= holdsMax; count += 1) {
    const holdRunId = count === 1 ? run.runId : `${run.runId}.${count}`;
    const reserved = await credits.reserve({ ...run, holdRunId });
    if (reserved.state === 'settled' || isUsable(reserved, neededForMs)) {
      return reserved;
    }
    if (reserved.state === 'pending') {
      await credits.release(reserved.holdId);
    }
  }
  throw lostAllHolds();
}

/**
 * Settles the charge for a delivered answer, once per run. All attempts of a run share its holds, so a late release can
 * take away the hold of an attempt that already answered, and a hold can expire in a long outage: the run is then
 * charged on another hold. Safe to repeat and to run concurrently: another hold is created only when no earlier one can
 * be settled, and is the same for every caller.
 *
 * @throws Problem `credits_exhausted` if the returned credits have been spent on something else
 */
export async function settleForRun(
  credits: Pick<CreditPort, 'settle' | 'reserve' | 'release'>,
  { holdId, ...run }: Charge,
): Promise<void> {
  let holdToSettle = holdId;
  for (let count = 1; count <= holdsMax; count += 1) {
    if ((await credits.settle(holdToSettle, run.amount)) !== undefined) {
      return;
    }
    // The hold may have expired but still be pending. After its release, it cannot be settled.
    await credits.release(holdToSettle);
    const reserved = await reserveForRun(credits, run, 0);
    if (reserved.state === 'settled') {
      return;
    }
    holdToSettle = reserved.holdId;
  }
  throw lostAllHolds();
}

function lostAllHolds(): Error {
  return new Error('a run lost its hold as often as a hold can be replaced');
}

function isUsable({ state, expiresInMs }: ReservedCredits, neededForMs: number): boolean {
  return state === 'pending' && expiresInMs > neededForMs;
}

/** Returns the charge still due; none if the hold is already settled. */
export function chargeOf(reserved: ReservedCredits, run: RunToCharge): Charge | undefined {
  return reserved.state === 'pending' ? { ...run, holdId: reserved.holdId } : undefined;
}

export interface CollectionPorts {
  readonly credits: Pick<CreditPort, 'settle' | 'reserve' | 'release'>;
  /** Records that a charge is due, in case this process dies before collecting it; returns the note's id. */
  readonly writeDown: (charge: Charge) => Promise<string>;
  /** Deletes the note of a collected charge. */
  readonly deleteNote: (noteId: string) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface ChargeCollector {
  /** Collects the charge if the answer was delivered, and releases its hold if not. */
  afterAnswer(charge: Charge, wasDelivered: boolean): void;
  /** Resolves when all started work is settled or recorded. */
  close(): Promise<void>;
}

/**
 * Delays between retries while neither the database nor the ledger is available; their sum is below a hold's lifetime.
 */
const waitsMs = [100, 200, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000];

/**
 * Collects charges after their answers, because only then is it known which were delivered. The first step after an
 * answer is a note in the database; from then on, the charge survives a crash of this process (ADR 0023).
 */
export function createChargeCollector(ports: CollectionPorts): ChargeCollector {
  const running = new Set<Promise<void>>();

  function track(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  return {
    afterAnswer(charge, wasDelivered) {
      track(wasDelivered ? collect(ports, charge) : releaseUnused(ports, charge));
    },
    async close() {
      await Promise.all(running);
    },
  };
}

async function collect(ports: CollectionPorts, charge: Charge): Promise<void> {
  for (const waitMs of [...waitsMs, 0]) {
    const noteId = await ports.writeDown(charge).catch(() => undefined);
    const isSettled = await settleForRun(ports.credits, charge).then(
      () => true,
      () => false,
    );
    if (isSettled && noteId !== undefined) {
      // If this fails, the charge is collected again later, which has no further effect.
      await ports.deleteNote(noteId).catch(() => undefined);
    }
    if (isSettled || noteId !== undefined) {
      return;
    }
    await ports.wait(waitMs);
  }
}

/** Releases an unused hold; if that fails, the hold expires. */
async function releaseUnused({ credits }: CollectionPorts, { holdId }: Charge): Promise<void> {
  await credits.release(holdId).catch(() => undefined);
}
