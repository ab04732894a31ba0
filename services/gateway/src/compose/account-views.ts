import { createAccountReader, type Peers, unavailable } from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import type { Pool } from 'pg';
import { accountShares, createEndPortions } from '../adapters/peers/account-shares.ts';
import { createLedgerStatements } from '../adapters/peers/ledger-statements.ts';
import { createRenameAccount } from '../adapters/postgres/account-store.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createDeletionStore } from '../adapters/postgres/deletion-store.ts';
import type { PrismaClient } from '../adapters/postgres/generated/client.ts';
import { exportLines } from '../domain/accounts/account-export.ts';
import {
  type DeletionPart,
  deleteAccount,
  deletionJobs,
  endAccountPart,
} from '../domain/accounts/delete-account.ts';
import type { NameNumber } from '../domain/accounts/number-names.ts';
import type { PasswordCheck } from '../domain/users/check-password.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import type { Events } from '../events.ts';
import { accountHandlers } from '../http/account.ts';
import { creditHandlers } from '../http/credits.ts';

export interface AccountViewsOptions {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly peers: Peers<'gateway'>;
  readonly checkPassword: PasswordCheck;
  readonly securityEvents: SecurityEventLog;
  readonly nameNumber: NameNumber;
  readonly events: Events;
  readonly now: () => Date;
}

/** The views of an account and its credits, its export and its deletion. */
export interface AccountViews {
  readonly handlers: ReturnType<typeof creditHandlers> & ReturnType<typeof accountHandlers>;
  readonly jobs: readonly OutboxJob[];
}

const viewDeadlineMs = 10_000;
/** The most concurrent exports of one process; each keeps a page of rows in memory. */
const exportsAtOnceMax = 4;
const exportRetrySeconds = 30;
const jobsAtOnceMax = 2;

export function composeAccountViews(options: AccountViewsOptions): AccountViews {
  const { pool, prisma, peers, checkPassword, events, now } = options;
  const ledger = createLedgerStatements(peers['credit-ledger'], viewDeadlineMs, options.nameNumber);
  const endPortions = createEndPortions(peers);
  const shares = [
    { service: 'gateway', readPage: createAccountReader(pool, accountTables) } as const,
    ...accountShares(peers),
  ];
  const deletions = createDeletionStore(pool);
  const admitted = admitAtMost(exportsAtOnceMax);
  return {
    handlers: {
      ...creditHandlers(ledger, now),
      ...accountHandlers({
        rename: createRenameAccount(prisma),
        async open({ account: { accountId }, userId, client }) {
          const at = now();
          const lines = admitted(() => exportLines(shares, accountId, at, options.nameNumber));
          await options.securityEvents.record({ accountId, userId, kind: 'account_exported', at, client });
          return lines;
        },
        async requestDeletion(request) {
          const outcome = await deleteAccount({ checkPassword, deletions, now }, request);
          if (outcome.kind === 'deleted') {
            events.accountDeleted(request.signedIn.account.accountId, outcome.at);
          }
          return outcome;
        },
      }),
    },
    jobs: (Object.keys(deletionJobs) as DeletionPart[]).map(part =>
      outboxJob(deletionJobs[part], jobsAtOnceMax, ({ accountId }) =>
        endAccountPart({ deletions, now }, part, endPortions[part], accountId),
      ),
    ),
  };
}

/** Limits concurrent streams; a stream beyond the limit is refused when it starts. */
function admitAtMost(concurrencyMax: number): (open: () => AsyncIterable<string>) => AsyncIterable<string> {
  let running = 0;
  return async function* admit(open) {
    if (running >= concurrencyMax) {
      throw unavailable('Too many account exports in progress right now.', undefined, exportRetrySeconds);
    }
    running += 1;
    try {
      yield* open();
    } finally {
      running -= 1;
    }
  };
}
