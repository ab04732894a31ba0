import type { AccountId, HoldId, RequestId } from '@mailproof/shared-types';
import type { CreditPort, ReservedCredits } from './credit-port.ts';

/** What an answer costs once it is delivered: the run that pays for it, and the hold that it was answered on. */
export interface Charge extends RunToCharge {
  readonly holdId: HoldId;
}

/** What a charging operation found out, and what is owed for it. */
export interface ChargedAnswer<Result> {
  readonly result: Result;
  /** Nothing where the answer is free. */
  readonly charge?: Charge | undefined;
  /** Credits that the account can spend after this request. */
  readonly creditsRemaining: number;
}

/** The run that credits are reserved for. */
export interface RunToCharge {
  readonly accountId: AccountId;
  /** The id of the first request that asked; the same for every attempt to answer it. */
  readonly runId: RequestId;
  /** The operation on whose behalf credits move. */
  readonly cause: string;
  readonly amount: number;
}

/** How many holds of one run may have been lost; each was lost to an attempt that failed or was killed. */
const holdsMax = 20;

/**
 * Reserves the credits of a run, or finds the hold that an earlier attempt of the run left behind. One that was given
 * back, or soon will be, cannot be charged any more, so the run then gets a further hold; one that is settled has been
 * paid. Whatever happened before, at most one hold of a run is ever settled. `neededForMs` is how long it takes until
 * the charge has been collected.
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
 * Settles what a delivered answer costs, once for its run. All attempts of a run share its holds, so one that gives its
 * hold back late can take it from another that was answered on it, and in a long outage a hold expires: the run is then
 * charged on a further one. Safe to repeat, and beside other attempts: a further hold is made only where no earlier one
 * can be settled any more, and is the same for everybody who asks for it.
 *
 * @throws Problem `credits_exhausted` where the credits that came back were spent otherwise
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
    // It may be pending still, past its time: once it is released, nobody can settle it.
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
  return new Error('a run lost all the holds that it may have');
}

function isUsable({ state, expiresInMs }: ReservedCredits, neededForMs: number): boolean {
  return state === 'pending' && expiresInMs > neededForMs;
}

/** What is left to charge: a hold that was settled before is paid. */
export function chargeOf(reserved: ReservedCredits, run: RunToCharge): Charge | undefined {
  return reserved.state === 'pending' ? { ...run, holdId: reserved.holdId } : undefined;
}
