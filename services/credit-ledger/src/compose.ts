import {
  assertSchema,
  createAccountReader,
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  openPostgres,
  postgresCheck,
  type Service,
} from '@mailproof/service-kit';
import {
  type AccountId,
  closeAccountCredits,
  createHold,
  exportAccountCredits,
  getBalance,
  grantCredits,
  releaseHold,
  settleHold,
  sumUsage,
} from '@mailproof/shared-types';
import { PrismaPg } from '@prisma/adapter-pg';
import { accountTables } from './adapters/postgres/account-tables.ts';
import { createAuditRuns } from './adapters/postgres/audit/audit-runs.ts';
import { createAuditor } from './adapters/postgres/audit/create-auditor.ts';
import { createCloseAccount } from './adapters/postgres/close-account.ts';
import { PrismaClient } from './adapters/postgres/generated/client.ts';
import { createLedgerStore } from './adapters/postgres/ledger-store.ts';
import { createUsageReader } from './adapters/postgres/usage.ts';
import type { Config } from './config.ts';
import { type AuditReport, auditLedger } from './domain/audit/audit.ts';
import { auditWhenDue } from './domain/audit/audit-when-due.ts';
import { createEvents } from './events.ts';
import { closeAccountCreditsRoute } from './http/close-account-credits.ts';
import { createHoldRoute } from './http/create-hold.ts';
import { exportAccountCreditsRoute } from './http/export-account-credits.ts';
import { getBalanceRoute } from './http/get-balance.ts';
import { grantCreditsRoute } from './http/grant-credits.ts';
import { releaseHoldRoute } from './http/release-hold.ts';
import { settleHoldRoute } from './http/settle-hold.ts';
import { sumUsageRoute } from './http/sum-usage.ts';
import { startAuditing } from './workers/audit-ledger.ts';
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
  const auditPort = createAuditor(pool, config.AUDIT_STATEMENT_TIMEOUT_MS);
  const auditRuns = createAuditRuns(pool);
  let sweeper: { close(): Promise<void> } | undefined;
  let auditing: { close(): Promise<void> } | undefined;
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
        sumUsageRoute(guardOf(sumUsage), createUsageReader(pool)),
        exportAccountCreditsRoute(guardOf(exportAccountCredits), createAccountReader(pool, accountTables)),
        closeAccountCreditsRoute(guardOf(closeAccountCredits), createCloseAccount(pool), events),
      ],
    }),
    async start() {
      await assertSchema(pool, schema);
      sweeper = startHoldSweeper(store, events, config.HOLD_SWEEP_INTERVAL_MS);
      auditing = startAuditing({
        audit: signal =>
          auditWhenDue(
            { port: auditPort, runs: auditRuns, now: () => new Date() },
            { intervalMs: config.AUDIT_INTERVAL_MS, fullIntervalMs: config.AUDIT_FULL_INTERVAL_MS },
            signal,
          ),
        runs: auditRuns,
        events,
        intervalMs: config.AUDIT_INTERVAL_MS,
      });
    },
    async stop() {
      await auditing?.close();
      await sweeper?.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** What the operator's commands work with. */
export function composeOperator(config: Pick<Config, 'DATABASE_URL' | 'AUDIT_STATEMENT_TIMEOUT_MS'>): {
  /** Looks at everything, or at the accounts that are named. */
  audit(accountIds?: readonly AccountId[]): Promise<AuditReport>;
  close(): Promise<void>;
} {
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-credit-ledger-operator',
    connectionsMax: 1,
    onIdleError: () => undefined,
  });
  const port = createAuditor(pool, config.AUDIT_STATEMENT_TIMEOUT_MS);
  return {
    audit: accountIds => auditLedger(port, { depth: 'full', ...(accountIds && { accountIds }) }),
    close: () => pool.end(),
  };
}
