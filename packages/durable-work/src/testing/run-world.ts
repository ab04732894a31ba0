import { expect } from '@jest/globals';
import { type HoldId, newId } from '@mailproof/shared-types';
import { endingOf } from '../advance-run.ts';
import type { PaidRun } from '../paid-run.ts';
import type { HoldOutcome, RunCredits, RunPorts, RunStore, RunWork } from '../run-ports.ts';

/** A service was killed: its next action does not happen. */
export class Killed extends Error {}

/** The ledger or another dependency does not answer. */
export class Away extends Error {}

interface Hold {
  readonly holdId: HoldId;
  readonly receiptId: string;
  readonly amount: number;
  expiresAtMs: number;
  state: 'pending' | 'settled' | 'released';
  settled: number;
}

/** A run that saves `requested` people, chunk by chunk. */
interface Run extends PaidRun {
  readonly requested: number;
  readonly delivered: number;
  readonly position: number;
  readonly failure: string | null;
}

type Rows = Map<number, string>;

export const price = 3;
export const people = 40;
const chunkMax = 7;
export const accountId = newId('account');

/**
 * A minimal environment of a run: rows in a map, holds in a list, and a clock. Every port call may be cut off before or
 * after its effect, by a kill or an outage, according to `plan`.
 */
export class World {
  nowMs = 0;
  run: Run;
  /** The run that saved each person. */
  readonly rows: Rows = new Map();
  readonly holds: Hold[] = [];
  credits: number;
  /** The fate of each of the next calls; undefined means success. */
  readonly plan: (undefined | 'killedBefore' | 'killedAfter' | 'awayBefore' | 'awayAfter')[] = [];

  constructor(requested: number, credits: number) {
    this.credits = credits;
    const runId = newId('discoveryRun');
    const first = this.makeHold(runId, requested * price, 600_000);
    if (first.kind !== 'held') {
      throw new Error('A run does not start without its credits.');
    }
    this.run = {
      runId,
      accountId,
      state: 'queued',
      requested,
      creditsMax: requested * price,
      holds: 1,
      holdAmount: requested * price,
      holdId: first.holdId,
      holdExpiresAt: first.expiresAt,
      position: 0,
      delivered: 0,
      ending: null,
      charge: null,
      failure: null,
      spent: null,
      failedAttempts: 0,
      version: 1,
      requestId: null,
      movedAt: new Date(0),
    };
  }

  async cutOff<Result>(effect: () => Result | Promise<Result>): Promise<Result> {
    const fate = this.plan.shift();
    if (fate === 'killedBefore') {
      throw new Killed();
    }
    if (fate === 'awayBefore') {
      throw new Away();
    }
    const result = await effect();
    if (fate === 'killedAfter') {
      throw new Killed();
    }
    if (fate === 'awayAfter') {
      throw new Away();
    }
    return result;
  }

  stands(hold: Hold): boolean {
    return hold.state === 'pending' && hold.expiresAtMs > this.nowMs;
  }

  available(): number {
    return this.holds.reduce(
      (left, hold) => left - (this.stands(hold) ? hold.amount : hold.settled),
      this.credits,
    );
  }

  makeHold(receiptId: string, amount: number, expiresInMs: number): HoldOutcome {
    let hold = this.holds.find(each => each.receiptId === receiptId);
    if (!hold) {
      if (this.available() < amount) {
        return { kind: 'refused', available: this.available() };
      }
      const expiresAtMs = this.nowMs + expiresInMs;
      hold = { holdId: newId('hold'), receiptId, amount, expiresAtMs, state: 'pending', settled: 0 };
      this.holds.push(hold);
    }
    return hold.amount === amount && this.stands(hold)
      ? { kind: 'held', holdId: hold.holdId, expiresAt: new Date(hold.expiresAtMs) }
      : { kind: 'over' };
  }

  private hold(holdId: HoldId): Hold {
    const hold = this.holds.find(each => each.holdId === holdId);
    if (!hold) {
      throw new Error(`No hold has the id ${holdId}.`);
    }
    return hold;
  }

  readonly ledger: RunCredits = {
    hold: ({ receiptId, amount, expiresInMs }) =>
      this.cutOff(() => this.makeHold(receiptId, amount, expiresInMs)),
    renew: (holdId, expiresInMs) =>
      this.cutOff(() => {
        const hold = this.hold(holdId);
        if (!this.stands(hold)) {
          return 'lost' as const;
        }
        hold.expiresAtMs = Math.max(hold.expiresAtMs, this.nowMs + expiresInMs);
        return { expiresAt: new Date(hold.expiresAtMs) };
      }),
    settle: (holdId, amount) =>
      this.cutOff(() => {
        const hold = this.hold(holdId);
        if (hold.state === 'settled') {
          expect(hold.settled).toBe(amount);
          return 'settled' as const;
        }
        if (!this.stands(hold)) {
          return 'lost' as const;
        }
        expect(amount).toBeLessThanOrEqual(hold.amount);
        hold.state = 'settled';
        hold.settled = amount;
        return 'settled' as const;
      }),
    release: holdId =>
      this.cutOff(() => {
        const hold = this.hold(holdId);
        if (hold.state === 'pending') {
          hold.state = 'released';
        }
      }),
  };

  /** Several workers may use it concurrently; a transaction happens in one step of the event loop, or not at all. */
  readonly store: RunStore<Run, Rows> & {
    changeWith(run: Run, work: (rows: Rows) => Promise<Partial<Run>>): Promise<Run | undefined>;
  } = {
    find: async runId => (runId === this.run.runId ? this.run : undefined),
    change: (run, change) => this.store.changeWith(run, async () => change),
    changeWith: (run, work) =>
      this.cutOff(async () => {
        if (run.version !== this.run.version) {
          return undefined;
        }
        const rows = new Map(this.rows);
        const change = await work(rows);
        if (run.version !== this.run.version) {
          return undefined;
        }
        for (const [person, runId] of rows) {
          this.rows.set(person, runId);
        }
        this.run = { ...this.run, ...change, version: this.run.version + 1 };
        return this.run;
      }),
  };

  readonly work: RunWork<Run, Rows> = {
    causeOf: () => 'start-discovery-run',
    tally: async ({ runId }, rows) => {
      const delivered = [...rows.values()].filter(by => by === runId).length;
      return { delivered, charge: delivered * price };
    },
    deliver: async run => {
      const from = run.position;
      const until = await this.cutOff(() =>
        Math.min(people, from + Math.max(1, Math.min(chunkMax, run.requested - run.delivered))),
      );
      await this.store.changeWith(run, async rows => {
        let delivered = run.delivered;
        for (let person = from; person < until; person += 1) {
          if (!rows.has(person)) {
            rows.set(person, run.runId);
            delivered += 1;
          }
        }
        const moved = {
          state: 'running',
          position: until,
          delivered,
          failedAttempts: 0,
          movedAt: this.now(),
        };
        return delivered < run.requested && until < people
          ? moved
          : { ...moved, ...(await endingOf(this.ports, run, rows, 'succeeded')) };
      });
      return 'more';
    },
  };

  readonly now = () => new Date(this.nowMs);

  readonly ports: RunPorts<Run, Rows> = {
    runs: this.store,
    credits: this.ledger,
    work: this.work,
    events: { runStarted() {}, runHoldLost() {}, runEnded() {}, runUnpaid() {} },
    now: this.now,
  };

  ownRows(): number {
    return [...this.rows.values()].filter(by => by === this.run.runId).length;
  }

  charged(): number {
    return this.holds.reduce((sum, { settled }) => sum + settled, 0);
  }
}
