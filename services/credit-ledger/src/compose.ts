import {
  accountExportHandler,
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  mountHandlers,
  postgresCheck,
  type Route,
  type Service,
  schemaCheck,
  takeEventsHandler,
} from '@mailproof/service-kit';
import { accountTables } from './adapters/postgres/account-tables.ts';
import { createCloseAccount, createCreditThresholds } from './adapters/postgres/ledger-store.ts';
import { createUsageReader } from './adapters/postgres/statement-store.ts';
import { startAudits } from './compose/auditing.ts';
import { type OpenLedger, openLedger, schema } from './compose/open-ledger.ts';
import type { Config } from './config.ts';
import { createEvents, type Events } from './events.ts';
import { allowanceHandlers } from './http/allowances.ts';
import { closeAccountHandlers } from './http/close-account.ts';
import { creditThresholdHandlers } from './http/credit-threshold.ts';
import { grantHandlers } from './http/grants.ts';
import { holdHandlers } from './http/holds.ts';
import { statementHandlers } from './http/statements.ts';
import { startCreditSweeper, startHoldSweeper } from './workers/sweep.ts';

/** Time between checks for expired credits. */
const creditSweepIntervalMs = 60_000;

export interface Overrides {
  /** The clock, for tests that control the time; defaults to the database's clock. */
  readonly now?: () => Date;
}

/** Builds the service from its settings; nothing runs before `start`. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const logger = createLogger({ service: 'credit-ledger', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const stores = openLedger({
    databaseUrl: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.databaseConnectionLost,
    now: overrides.now,
  });
  const health = createHealth({ postgres: postgresCheck(stores.pool) });
  const stopping = new AbortController();
  const workers: { close(): Promise<void> }[] = [];
  return {
    logger,
    health: {
      ...health,
      markStopping() {
        health.markStopping();
        stopping.abort();
      },
    },
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: routesOf(config, stores, { events, stopping: stopping.signal }),
    }),
    needs: { schema: schemaCheck(stores.pool, schema) },
    async start() {
      workers.push(
        startHoldSweeper(stores.ledger, events, config.HOLD_SWEEP_INTERVAL_MS),
        startCreditSweeper(stores.ledger, events, creditSweepIntervalMs),
        startAudits(config, stores, events),
      );
    },
    async stop() {
      await Promise.all(workers.map(worker => worker.close()));
      await stores.close();
    },
  };
}

function routesOf(
  config: Config,
  { pool, ledger, allowances, statements }: OpenLedger,
  { events, stopping }: { readonly events: Events; readonly stopping: AbortSignal },
): Route[] {
  const service = createServiceGuard('credit-ledger', config.SERVICE_PEER_KEYS);
  return mountHandlers(
    'credit-ledger',
    { service },
    {
      ...statementHandlers(ledger, statements, createUsageReader(pool)),
      ...grantHandlers(ledger),
      ...holdHandlers(ledger, events.reserveRefused),
      ...allowanceHandlers(allowances),
      exportAccountCredits: accountExportHandler(pool, accountTables),
      ...closeAccountHandlers(createCloseAccount(pool), events),
      ...creditThresholdHandlers(createCreditThresholds(pool)),
      takeCreditsEvents: takeEventsHandler(pool, stopping),
    },
  );
}
