import { beforeEach, describe, expect, it } from '@jest/globals';
import { type HoldId, type HoldState, newId } from '@mailproof/shared-types';
import { type Charge, reserveForRun, settleForRun } from './charge.ts';
import type { CreditPort } from './credit-port.ts';

type Call = 'reserve' | 'settle' | 'release';
interface Hold {
  readonly holdId: HoldId;
  state: HoldState;
  isPastItsTime: boolean;
}

const cause = 'validate-single-email';
const run = { accountId: newId('account'), runId: newId('request'), cause, amount: 1 };

/** Holds of one account with one credit, which can be resolved once each; somebody may come in ahead of any call. */
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
    return this.giveBack(this.find(holdId), 'released');
  }

  giveBack(hold: Hold, state: 'released' | 'expired'): number {
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

/** Two attempts were answered on one hold. */
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
    'is settled on a further hold where its own was %s',
    async state => {
      ledger.giveBack(first, state);
      await settleForRun(ledger, charge);
      expect(ledger.states()).toEqual({ '': state, '.2': 'settled' });
      expect(ledger.available).toBe(0);
    },
  );

  it('is settled on a further hold only when its own can be settled by nobody', async () => {
    first.isPastItsTime = true;
    await settleForRun(ledger, charge);
    expect(ledger.states()).toEqual({ '': 'released', '.2': 'settled' });
  });

  it('is settled once by all who collect it after its hold was given back', async () => {
    ledger.available = 3;
    ledger.giveBack(first, 'released');
    await Promise.all([1, 2, 3].map(() => settleForRun(ledger, charge)));
    expect(ledger.states()).toEqual({ '': 'released', '.2': 'settled' });
    expect(ledger.available).toBe(3);
  });

  it('is settled once wherever another attempt gives the hold back or collects in between', async () => {
    for (let moment = 1; moment <= 8; moment += 1) {
      for (const other of ['gives back', 'collects'] as const) {
        ledger = new FakeLedger();
        ledger.available = 3;
        const { holdId } = await reserveForRun(ledger, run, 0);
        ledger.giveBack(ledger.holds.get(run.runId) as Hold, 'released');
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
    ledger.giveBack(first, 'released');
    ledger.available = 0;
    await expect(settleForRun(ledger, charge)).rejects.toThrow('credits exhausted');
    expect(ledger.states()).toEqual({ '': 'released' });
  });

  it('is given up where each hold is lost', async () => {
    ledger.before = call => {
      const last = [...ledger.holds.values()].at(-1) as Hold;
      if (call === 'settle') {
        ledger.giveBack(last, 'released');
      }
    };
    await expect(settleForRun(ledger, charge)).rejects.toThrow('lost all the holds');
  });
});
