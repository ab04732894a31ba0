import {
  assertSchema,
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  openPostgres,
  postgresCheck,
  type Service,
} from '@mailproof/service-kit';
import { createHold, getBalance, grantCredits, releaseHold, settleHold } from '@mailproof/shared-types';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './adapters/postgres/generated/client.ts';
import { createLedgerStore } from './adapters/postgres/ledger-store.ts';
import type { Config } from './config.ts';
import { createEvents } from './events.ts';
import { createHoldRoute } from './http/create-hold.ts';
import { getBalanceRoute } from './http/get-balance.ts';
import { grantCreditsRoute } from './http/grant-credits.ts';
import { releaseHoldRoute } from './http/release-hold.ts';
import { settleHoldRoute } from './http/settle-hold.ts';
import { startHoldSweeper } from './workers/sweep-holds.ts';

const schema = 'ledger';

/** Builds the service from its settings; nothing runs before `start`. */
export async function compose(config: Config): Promise<Service> {
  const logger = createLogger({ service: 'credit-ledger', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-credit-ledger',
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.databaseConnectionLost,
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
  const store = createLedgerStore(prisma);
  const guardOf = createServiceGuard('credit-ledger', config.SERVICE_PEER_KEYS);
  const health = createHealth({ postgres: postgresCheck(pool) });
  let sweeper: { close(): Promise<void> } | undefined;
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [
        getBalanceRoute(guardOf(getBalance), store),
        grantCreditsRoute(guardOf(grantCredits), store),
        createHoldRoute(guardOf(createHold), store),
        settleHoldRoute(guardOf(settleHold), store),
        releaseHoldRoute(guardOf(releaseHold), store),
      ],
    }),
    async start() {
      await assertSchema(pool, schema);
      sweeper = startHoldSweeper(store, events, config.HOLD_SWEEP_INTERVAL_MS);
    },
    async stop() {
      await sweeper?.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
