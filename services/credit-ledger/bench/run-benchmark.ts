import { type BenchDatabase, measureCalls, quantile, startBenchDatabase } from '@mailproof/dev-house/bench';
import { type AccountId, createHold, newId } from '@mailproof/shared-types';
import { type OpenLedger, openLedger } from '../src/compose/open-ledger.ts';
import { type LedgerProcess, startLedgerProcess } from './ledger-process.ts';
import type { Measurement, Spread, Subject } from './messages.ts';
import type { BenchOptions } from './options.ts';

const creditsOfAccount = 1_000_000_000;
const holdExpiresInMs = 3_600_000;
const callDeadlineMs = 10_000;
const cause = 'validate-single-email';

/**
 * Measures everything in turn, round by round, and reports each measurement as it is made. Returns the durability
 * settings that Postgres itself reports.
 */
export async function runBenchmark(
  options: BenchOptions,
  onMeasurement: (measurement: Measurement) => void,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const stops: (() => Promise<void>)[] = [];
  try {
    // Durable: when the ledger answers, its writes are on disk.
    const database = await startBenchDatabase('credit-ledger', { isDurable: true, signal });
    stops.push(() => database.stop());
    const stores = openStores(database, options);
    stops.push(() => stores.close());
    const service = options.http
      ? await startLedgerProcess(database.databaseUrl, options.connections)
      : undefined;
    if (service) {
      stops.push(() => service.stop());
    }
    const accounts = await furnish(stores, options.accounts);
    const asks = asksOf(stores, service);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const spread of ['hot', 'spread'] as const) {
        for (const [subject, ask] of asks) {
          const list = accounts[subject === 'bare' ? 'bare' : 'held'][spread];
          const { perSecond, tookMs } = await measureCalls(() => ask(anyOf(list)), options, signal);
          const [p50Ms, p99Ms] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
          onMeasurement({ round, subject, spread, perSecond, p50Ms, p99Ms });
        }
      }
    }
    return await settingsOf(stores);
  } finally {
    for (const stop of stops.reverse()) {
      await stop();
    }
  }
}

function openStores({ databaseUrl }: BenchDatabase, { connections }: BenchOptions): OpenLedger {
  return openLedger({ databaseUrl, connectionsMax: connections, onIdleError: () => undefined });
}

type Ask = (accountId: AccountId) => Promise<unknown>;

/** The bare statement uses the same pool and is prepared like the ledger's own. */
function asksOf({ pool, ledger }: OpenLedger, service: LedgerProcess | undefined): [Subject, Ask][] {
  const request = (accountId: AccountId) => ({
    ...{ accountId, runId: newId('request'), requestId: newId('request') },
    ...{ amount: 1, cause, expiresInMs: holdExpiresInMs },
  });
  const asks: [Subject, Ask][] = [
    [
      'bare',
      accountId =>
        pool.query({
          name: 'bare',
          text: 'UPDATE account SET available = available - 1 WHERE account_id = $1 AND available >= 1 RETURNING available',
          values: [accountId],
        }),
    ],
    [
      'hold',
      async accountId => {
        const outcome = await ledger.hold({ ...request(accountId), holdId: newId('hold') });
        if (outcome.kind !== 'held') {
          throw new Error(`A hold was refused: ${outcome.kind}.`);
        }
      },
    ],
  ];
  if (service) {
    asks.push([
      'http',
      accountId =>
        service.client.call(
          createHold,
          { params: {}, body: request(accountId) },
          { deadlineMs: callDeadlineMs },
        ),
    ]);
  }
  return asks;
}

type Accounts = Readonly<Record<'bare' | 'held', Readonly<Record<Spread, readonly AccountId[]>>>>;

/** The bare statement has its own accounts in the same table, because it writes no entries. */
async function furnish({ ledger }: OpenLedger, count: number): Promise<Accounts> {
  const make = async (length: number) => {
    const accountIds = Array.from({ length }, () => newId('account'));
    for (const accountId of accountIds) {
      const expiresAt = new Date(Date.now() + 86_400_000);
      const grant = { grantId: newId('creditGrant'), kind: 'top_up' as const, amount: creditsOfAccount };
      await ledger.grant({ ...grant, accountId, expiresAt, cause });
    }
    return accountIds;
  };
  return {
    bare: { hot: await make(1), spread: await make(count) },
    held: { hot: await make(1), spread: await make(count) },
  };
}

function anyOf(accountIds: readonly AccountId[]): AccountId {
  return accountIds[Math.floor(Math.random() * accountIds.length)] as AccountId;
}

const settingNames = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
];

async function settingsOf({ pool }: OpenLedger): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    'SELECT name, current_setting(name) AS setting FROM unnest($1::text[]) AS name',
    [settingNames],
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}
