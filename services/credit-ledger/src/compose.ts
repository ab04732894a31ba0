import {
  assertSchema,
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  postgresCheck,
  type Route,
  type Service,
} from '@mailproof/service-kit';
import {
  createHold,
  getAllowances,
  getBalance,
  getReceipt,
  grantCredits,
  listEntries,
  listGrants,
  listReceipts,
  openBillingCycle,
  refundCredits,
  releaseHold,
  renewHold,
  returnAllowance,
  settleHold,
  takeAllowance,
} from '@mailproof/shared-types';
import { accountRoutesOf } from './compose/account-routes.ts';
import { startAudits } from './compose/auditing.ts';
import { type OpenLedger, openLedger, schema } from './compose/open-ledger.ts';
import type { Config } from './config.ts';
import { createEvents, type Events } from './events.ts';
import { createHoldRoute } from './http/create-hold.ts';
import { getAllowancesRoute } from './http/get-allowances.ts';
import { getBalanceRoute } from './http/get-balance.ts';
import { getReceiptRoute } from './http/get-receipt.ts';
import { grantCreditsRoute } from './http/grant-credits.ts';
import { listEntriesRoute } from './http/list-entries.ts';
import { listGrantsRoute } from './http/list-grants.ts';
import { listReceiptsRoute } from './http/list-receipts.ts';
import { openBillingCycleRoute } from './http/open-billing-cycle.ts';
import { refundCreditsRoute } from './http/refund-credits.ts';
import { releaseHoldRoute } from './http/release-hold.ts';
import { renewHoldRoute } from './http/renew-hold.ts';
import { returnAllowanceRoute } from './http/return-allowance.ts';
import { settleHoldRoute } from './http/settle-hold.ts';
import { takeAllowanceRoute } from './http/take-allowance.ts';
import { startCreditSweeper } from './workers/sweep-credits.ts';
import { startHoldSweeper } from './workers/sweep-holds.ts';

export interface Overrides {
  /** The clock, for tests that move time; without it the database's rules. */
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
  const workers: { close(): Promise<void> }[] = [];
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: routesOf(config, stores, events),
    }),
    async start() {
      await assertSchema(stores.pool, schema);
      workers.push(
        startHoldSweeper(stores.ledger, events, config.HOLD_SWEEP_INTERVAL_MS),
        startCreditSweeper(stores.ledger, events, config.CREDIT_SWEEP_INTERVAL_MS),
        startAudits(config, stores.pool, events),
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
  events: Events,
): Route[] {
  const guardOf = createServiceGuard('credit-ledger', config.SERVICE_PEER_KEYS);
  return [
    getBalanceRoute(guardOf(getBalance), ledger),
    listEntriesRoute(guardOf(listEntries), statements),
    listReceiptsRoute(guardOf(listReceipts), statements),
    getReceiptRoute(guardOf(getReceipt), statements),
    listGrantsRoute(guardOf(listGrants), statements),
    grantCreditsRoute(guardOf(grantCredits), ledger),
    openBillingCycleRoute(guardOf(openBillingCycle), ledger),
    refundCreditsRoute(guardOf(refundCredits), ledger),
    createHoldRoute(guardOf(createHold), ledger, events.reserveRefused),
    renewHoldRoute(guardOf(renewHold), ledger),
    settleHoldRoute(guardOf(settleHold), ledger),
    releaseHoldRoute(guardOf(releaseHold), ledger),
    takeAllowanceRoute(guardOf(takeAllowance), allowances),
    returnAllowanceRoute(guardOf(returnAllowance), allowances),
    getAllowancesRoute(guardOf(getAllowances), allowances),
    ...accountRoutesOf(guardOf, pool, events),
  ];
}
