import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { newId } from '@mailproof/shared-types';
import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import { createAllowanceStore } from '../src/adapters/postgres/allowance-store.ts';
import { createLedgerStore } from '../src/adapters/postgres/ledger-store.ts';
import { createStatementStore } from '../src/adapters/postgres/statement-store.ts';
import { type OpenLedger, openLedger } from '../src/compose/open-ledger.ts';
import { ledgerCommands, type RealLedger, sweepAll } from './history/commands.ts';
import { compareBalance, pictures } from './history/compare.ts';
import { crowdOperations, playInCrowd } from './history/crowd.ts';
import { LedgerModel } from './history/ledger-model.ts';
import { faultsOfLedger } from './ledger-faults.ts';

const clients = 64;
const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
/** The total number of histories, new in each run; set a higher number to search longer. */
const histories = Number(process.env['MAILPROOF_HISTORIES'] ?? (isLong ? 10_000 : 2_560));
/** The same seed replays the same histories. */
const seed = Number(process.env['MAILPROOF_HISTORY_SEED'] ?? Date.now() % 2 ** 31);
const historiesOfEachClient = Math.ceil(histories / 2 / clients);
/** Guards against histories that never end; a slow machine needs several times as long as ours. */
const timeLimitMs = 300_000 + histories * 60;

let database: TestDatabase;
let stores: OpenLedger;

beforeAll(async () => {
  process.stdout.write(
    `Histories of the ledger: MAILPROOF_HISTORY_SEED=${seed} MAILPROOF_HISTORIES=${histories}\n`,
  );
  database = await createTestDatabase('credit-ledger');
  stores = openLedger({
    databaseUrl: database.databaseUrl,
    connectionsMax: clients,
    onIdleError: () => undefined,
  });
  await openOneByOne(stores.pool, clients);
});

/** Opens connections one by one: a slow machine cannot open all of them at once within the connection timeout. */
async function openOneByOne(pool: Pool, connections: number): Promise<void> {
  const opened: PoolClient[] = [];
  while (opened.length < connections) {
    opened.push(await pool.connect());
  }
  for (const client of opened) {
    client.release();
  }
}

afterAll(async () => {
  await stores.close();
  await database.drop();
});

/**
 * Runs all clients concurrently: one after another would take minutes. Each has its own accounts and clock, or shares
 * them on purpose.
 */
function byAllClients(play: (client: number) => Promise<void>): Promise<unknown> {
  return Promise.all(Array.from({ length: clients }, (_, client) => play(client)));
}

describe(`${histories} random histories by ${clients} clients at once`, () => {
  it(
    'answer as a model of one account does, to the last figure',
    async () => {
      await byAllClients(client =>
        fc.assert(
          fc.asyncProperty(fc.commands(ledgerCommands, { maxCommands: 16, size: 'max' }), async commands => {
            const clock = { nowMs: Date.UTC(2030, 0, 1) };
            const options = { now: () => new Date(clock.nowMs) };
            const model = new LedgerModel(newId('account'), clock.nowMs);
            const real: RealLedger = {
              ledger: createLedgerStore(stores.pool, options),
              allowances: createAllowanceStore(stores.pool, options),
              statements: createStatementStore(stores.pool, options),
              clock,
            };
            await fc.asyncModelRun(() => ({ model, real }), commands);
            await compareBalance(real, model);
            await sweepAll(model, real);
            const { actual, expected } = await pictures(real, model);
            expect(actual).toEqual(expected);
          }),
          { seed: seed + client, numRuns: historiesOfEachClient },
        ),
      );
      expect(await faultsOfLedger(stores.pool)).toEqual([]);
    },
    timeLimitMs,
  );

  it(
    'on accounts that all of them share leave every sum exact and nothing overspent',
    async () => {
      const crowd = { accountIds: Array.from({ length: 6 }, () => newId('account')), holds: [], offsetMs: 0 };
      await byAllClients(client =>
        fc.assert(
          fc.asyncProperty(crowdOperations, operations => playInCrowd(stores.pool, crowd, operations)),
          { seed: seed + client, numRuns: historiesOfEachClient },
        ),
      );
      expect(await faultsOfLedger(stores.pool)).toEqual([]);
    },
    timeLimitMs,
  );
});
