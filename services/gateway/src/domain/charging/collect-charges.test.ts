import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { type CollectionPorts, createChargeCollector } from './collect-charges.ts';

const charge = {
  holdId: newId('hold'),
  accountId: newId('account'),
  runId: newId('request'),
  cause: 'validate-single-email',
  amount: 1,
};

/** Collects one charge while the database and the ledger fail as often as they are told to; tells what was done. */
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
    strikeOff: async () => void done.push('struck off'),
    wait: async () => void done.push('waited'),
  };
  const collector = createChargeCollector(ports);
  collector.afterAnswer(charge, wasDelivered);
  await collector.close();
  return done;
}

describe('a charge', () => {
  it('is written down, settled and struck off after an answer that was delivered', async () => {
    expect(await collect(true)).toEqual(['written down', 'settled', 'struck off']);
  });

  it('is given back after an answer that was not', async () => {
    expect(await collect(false)).toEqual(['released']);
  });

  it('stays written down while the ledger is away', async () => {
    expect(await collect(true, { settlements: 1 })).toEqual(['written down']);
  });

  it('is settled although it cannot be written down', async () => {
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
