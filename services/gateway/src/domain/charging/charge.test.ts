import { beforeEach, describe, expect, it } from '@jest/globals';
import { type HoldId, type HoldState, newId } from '@mailproof/shared-types';
import {
  type Charge,
  type CollectionPorts,
  createChargeCollector,
  reserveForRun,
  settleForRun,
} from './charge.ts';
import type { CreditPort } from './credit-port.ts';

type Call = 'reserve' | 'settle' | 'release';
interface Hold {
  readonly holdId: HoldId;
  state: HoldState;
  isPastItsTime: boolean;
}

const cause = 'validate-single-email';
const run = { accountId: newId('account'), runId: newId('request'), cause, amount: 1 };

/** Holds of one account with one credit, each resolved at most once; a competing caller may run before any call. */
class FakeLedger implements Pick<CreditPort, Call> {
  readonly holds = new Map<string, Hold>();
  readonly calls: Call[] = [];
  available = 1;
  before: (call: Call, count: number) => void | Promise<void> = () => undefined;

  async reserve({ holdRunId }: { holdRunId: string }) {
    await this.begin('reserve');
    const hold = this.holds.get(holdRunId) ?? this.make(holdRunId);
    return { holdId: hold.holdId, state: hold.state, expiresInMs: 60_000, available: this.available };
  }

  async settle(holdId: HoldId) {
    await this.begin('settle');
    const hold = this.find(holdId);
    if (hold.state === 'pending' && !hold.isPastItsTime) {
      hold.state = 'settled';
    }
    return hold.state === 'settled' ? this.available : undefined;
  }

  async release(holdId: HoldId) {
    await this.begin('release');
    return this.returnCredits(this.find(holdId), 'released');
  }

  returnCredits(hold: Hold, state: 'released' | 'expired'): number {
    if (hold.state === 'settled') {
      throw new Error('the hold is settled');
    }
    if (hold.state === 'pending') {
      hold.state = state;
      this.available += 1;
    }
    return this.available;
  }

  states(): Record<string, HoldState> {
    return Object.fromEntries([...this.holds].map(([id, { state }]) => [id.slice(run.runId.length), state]));
  }

  private async begin(call: Call): Promise<void> {
    this.calls.push(call);
    await this.before(call, this.calls.length);
  }

  private make(holdRunId: string): Hold {
    if (this.available === 0) {
      throw new Error('credits exhausted');
    }
    this.available -= 1;
    const hold: Hold = { holdId: newId('hold'), state: 'pending', isPastItsTime: false };
    this.holds.set(holdRunId, hold);
    return hold;
  }

  private find(holdId: HoldId): Hold {
    const hold = [...this.holds.values()].find(one => one.holdId === holdId);
    if (!hold) {
      throw new Error('there is no such hold');
    }
    return hold;
  }
}

let ledger: FakeLedger;
let charge: Charge;
let first: Hold;

/** Two attempts share one hold. */
beforeEach(async () => {
  ledger = new FakeLedger();
  charge = { ...run, holdId: (await reserveForRun(ledger, run, 0)).holdId };
  expect((await reserveForRun(ledger, run, 0)).holdId).toBe(charge.holdId);
  first = ledger.holds.get(run.runId) as Hold;
  ledger.calls.length = 0;
});

describe('the charge of a run', () => {
  it('is settled on its hold, and again without effect', async () => {
    await settleForRun(ledger, charge);
    await settleForRun(ledger, charge);
    expect(ledger.calls).toEqual(['settle', 'settle']);
    expect(ledger.states()).toEqual({ '': 'settled' });
  });

  it.each(['released', 'expired'] as const)(
    'is settled on another hold where its own was %s',
    async state => {
      ledger.returnCredits(first, state);
      await settleForRun(ledger, charge);
      expect(ledger.states()).toEqual({ '': state, '.2': 'settled' });
      expect(ledger.available).toBe(0);
    },
  );

  it('is settled on another hold only when no attempt can settle its own', async () => {
    first.isPastItsTime = true;
    await settleForRun(ledger, charge);
    expect(ledger.states()).toEqual({ '': 'released', '.2': 'settled' });
  });

  it('is settled once by all who collect it after its hold was released', async () => {
    ledger.available = 3;
    ledger.returnCredits(first, 'released');
    await Promise.all([1, 2, 3].map(() => settleForRun(ledger, charge)));
    expect(ledger.states()).toEqual({ '': 'released', '.2': 'settled' });
    expect(ledger.available).toBe(3);
  });

  it('is settled once even if another attempt releases the hold or collects in between', async () => {
    for (let moment = 1; moment <= 8; moment += 1) {
      for (const other of ['gives back', 'collects'] as const) {
        ledger = new FakeLedger();
        ledger.available = 3;
        const { holdId } = await reserveForRun(ledger, run, 0);
        ledger.returnCredits(ledger.holds.get(run.runId) as Hold, 'released');
        let isOtherThere = false;
        ledger.before = async (_call, count) => {
          if (count < moment || isOtherThere) {
            return;
          }
          isOtherThere = true;
          const reserved = await reserveForRun(ledger, run, 0);
          if (other === 'collects') {
            await settleForRun(ledger, { ...run, holdId: reserved.holdId });
          } else if (reserved.state === 'pending') {
            await ledger.release(reserved.holdId);
          }
        };
        await settleForRun(ledger, { ...run, holdId });
        expect(Object.values(ledger.states()).filter(state => state === 'settled')).toHaveLength(1);
        expect(ledger.available).toBe(2);
      }
    }
  });

  it('is refused where the credits that came back were spent', async () => {
    ledger.returnCredits(first, 'released');
    ledger.available = 0;
    await expect(settleForRun(ledger, charge)).rejects.toThrow('credits exhausted');
    expect(ledger.states()).toEqual({ '': 'released' });
  });

  it('is given up where each hold is lost', async () => {
    ledger.before = call => {
      const last = [...ledger.holds.values()].at(-1) as Hold;
      if (call === 'settle') {
        ledger.returnCredits(last, 'released');
      }
    };
    await expect(settleForRun(ledger, charge)).rejects.toThrow('lost its hold');
  });
});

const owed = {
  holdId: newId('hold'),
  accountId: newId('account'),
  runId: newId('request'),
  cause: 'validate-single-email',
  amount: 1,
};

/** Collects one charge while the database and the ledger fail a given number of times; returns the steps taken. */
async function collect(wasDelivered: boolean, failures: { notes?: number; settlements?: number } = {}) {
  const left = { notes: 0, settlements: 0, ...failures };
  const done: string[] = [];
  const fail = (what: keyof typeof left) => {
    if (left[what] > 0) {
      left[what] -= 1;
      throw new Error(`${what} away`);
    }
  };
  const ports: CollectionPorts = {
    credits: {
      async settle() {
        fail('settlements');
        done.push('settled');
        return 0;
      },
      reserve: () => Promise.reject(new Error('a hold that stands needs no other')),
      async release() {
        done.push('released');
        return 0;
      },
    },
    async writeDown() {
      fail('notes');
      done.push('written down');
      return '1';
    },
    deleteNote: async () => void done.push('struck off'),
    wait: async () => void done.push('waited'),
  };
  const collector = createChargeCollector(ports);
  collector.afterAnswer(owed, wasDelivered);
  await collector.close();
  return done;
}

describe('the charge of an answer', () => {
  it('is recorded, settled and struck off after an answer that was delivered', async () => {
    expect(await collect(true)).toEqual(['written down', 'settled', 'struck off']);
  });

  it('is released after an answer that was not', async () => {
    expect(await collect(false)).toEqual(['released']);
  });

  it('stays recorded while the ledger is away', async () => {
    expect(await collect(true, { settlements: 1 })).toEqual(['written down']);
  });

  it('is settled although it cannot be recorded', async () => {
    expect(await collect(true, { notes: 1 })).toEqual(['settled']);
  });

  it('waits for either while both are away', async () => {
    expect(await collect(true, { notes: 2, settlements: 1 })).toEqual(['waited', 'settled']);
    expect(await collect(true, { notes: 1, settlements: 3 })).toEqual(['waited', 'written down']);
  });

  it('is given up in the end, when its hold has expired', async () => {
    expect(await collect(true, { notes: 100, settlements: 100 })).toEqual(Array(13).fill('waited'));
  });
});
