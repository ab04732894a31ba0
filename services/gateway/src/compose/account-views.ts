import {
  createAccountReader,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  type Route,
  unavailable,
} from '@mailproof/service-kit';
import {
  closeAccountCreditsJob,
  forgetAccountAssistantsJob,
  forgetAccountExportsJob,
  forgetAccountOutcomesJob,
  forgetAccountProfilesJob,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createAccountShares } from '../adapters/peers/account-shares.ts';
import { createLedgerStatements } from '../adapters/peers/ledger-statements.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createDeletionStore } from '../adapters/postgres/deletion-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { createRenameAccount } from '../adapters/postgres/rename-account.ts';
import { exportLines } from '../domain/accounts/account-export.ts';
import { deleteAccount } from '../domain/accounts/delete-account.ts';
import type { NameNumber } from '../domain/accounts/number-names.ts';
import type { PasswordCheck } from '../domain/users/check-password.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import { deleteAccountRoute } from '../http/delete-account.ts';
import { downloadStatementRoute } from '../http/download-statement.ts';
import { exportAccountRoute } from '../http/export-account.ts';
import type { SessionGuard } from '../http/guards/session-guard.ts';
import { renameAccountRoute } from '../http/rename-account.ts';
import { viewBalanceRoute } from '../http/view-balance.ts';
import { viewProfileRoute } from '../http/view-profile.ts';
import { viewReceiptRoute } from '../http/view-receipt.ts';
import { viewReceiptsRoute } from '../http/view-receipts.ts';
import { viewStatementRoute } from '../http/view-statement.ts';
import { viewUsageRoute } from '../http/view-usage.ts';
import { closeAccountCreditsHandler } from '../workers/close-account-credits.ts';
import { forgetAccountAssistantsHandler } from '../workers/forget-account-assistants.ts';
import { forgetAccountExportsHandler } from '../workers/forget-account-exports.ts';
import { forgetAccountOutcomesHandler } from '../workers/forget-account-outcomes.ts';
import { forgetAccountProfilesHandler } from '../workers/forget-account-profiles.ts';

export interface AccountViewsOptions {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly ledgerPeer: OperationClient;
  readonly enginePeer: OperationClient;
  readonly toolServerPeer: OperationClient;
  readonly enrichmentPeer: OperationClient;
  readonly dispatcherPeer: OperationClient;
  readonly sessionGuard: SessionGuard;
  readonly checkPassword: PasswordCheck;
  readonly securityEvents: SecurityEventLog;
  readonly nameNumber: NameNumber;
  readonly events: Events;
  readonly now: () => Date;
}

/** What people see of their account and its credits, its export and its end. */
export interface AccountViews {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
}

const viewDeadlineMs = 10_000;
/** Exports that one process writes at once; each keeps a page of rows in memory. */
const exportsAtOnceMax = 4;
const exportRetrySeconds = 30;
const jobsAtOnceMax = 2;

export function composeAccountViews(options: AccountViewsOptions): AccountViews {
  const { pool, prisma, ledgerPeer, enginePeer, sessionGuard, checkPassword, events, now } = options;
  const ledger = createLedgerStatements(ledgerPeer, viewDeadlineMs, options.nameNumber);
  const peers = createAccountShares(
    ledgerPeer,
    enginePeer,
    options.toolServerPeer,
    options.enrichmentPeer,
    options.dispatcherPeer,
  );
  const shares = [
    { service: 'gateway', readPage: createAccountReader(pool, accountTables) } as const,
    ...peers.shares,
  ];
  const deletions = createDeletionStore(pool);
  const admitted = admitAtMost(exportsAtOnceMax);
  return {
    routes: [
      viewProfileRoute(sessionGuard),
      renameAccountRoute(sessionGuard, createRenameAccount(prisma)),
      viewBalanceRoute(sessionGuard, ledger),
      viewStatementRoute(sessionGuard, ledger),
      downloadStatementRoute(sessionGuard, ledger),
      viewReceiptsRoute(sessionGuard, ledger),
      viewReceiptRoute(sessionGuard, ledger),
      viewUsageRoute(sessionGuard, ledger, now),
      exportAccountRoute(sessionGuard, async ({ account: { accountId }, userId, client }) => {
        const at = now();
        const lines = admitted(() => exportLines(shares, accountId, at, options.nameNumber));
        await options.securityEvents.record({ accountId, userId, kind: 'account_exported', at, client });
        return lines;
      }),
      deleteAccountRoute(sessionGuard, async request => {
        const outcome = await deleteAccount({ checkPassword, deletions, now }, request);
        if (outcome.kind === 'deleted') {
          events.accountDeleted(request.signedIn.account.accountId, outcome.at);
        }
        return outcome;
      }),
    ],
    jobs: [
      outboxJob(closeAccountCreditsJob, jobsAtOnceMax, closeAccountCreditsHandler(peers, deletions, now)),
      outboxJob(forgetAccountOutcomesJob, jobsAtOnceMax, forgetAccountOutcomesHandler(peers, deletions, now)),
      outboxJob(
        forgetAccountAssistantsJob,
        jobsAtOnceMax,
        forgetAccountAssistantsHandler(peers, deletions, now),
      ),
      outboxJob(forgetAccountProfilesJob, jobsAtOnceMax, forgetAccountProfilesHandler(peers, deletions, now)),
      outboxJob(forgetAccountExportsJob, jobsAtOnceMax, forgetAccountExportsHandler(peers, deletions, now)),
    ],
  };
}

/** Lets so many streams run at once, and turns further ones away when they begin. */
function admitAtMost(atOnceMax: number): (open: () => AsyncIterable<string>) => AsyncIterable<string> {
  let running = 0;
  return async function* admit(open) {
    if (running >= atOnceMax) {
      throw unavailable('Too many exports are being written right now.', undefined, exportRetrySeconds);
    }
    running += 1;
    try {
      yield* open();
    } finally {
      running -= 1;
    }
  };
}
