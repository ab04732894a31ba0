import { tellWritten } from '@mailproof/service-kit';
import {
  type AccountId,
  type ApiKeyId,
  grantCreditsJob,
  keyScopeNames,
  newId,
  openBillingCycleJob,
  plans,
  type SecurityEventKind,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import {
  type Account,
  AccountDeleted,
  type AccountStore,
  type GrantTerms,
  type LookUpKey,
  type NewAccount,
  planOf,
  rateOf,
} from '../../domain/accounts/account.ts';
import { startPlan } from '../../domain/billing/billing.ts';
import { hashApiKey } from '../../domain/keys/api-key.ts';
import type { KeySealer } from '../../domain/keys/key-sealer.ts';
import { sql as access } from './access.sql.ts';
import { sql } from './accounts.sql.ts';
import { billingColumns, grantRow, openCycleRow, writeConsequences } from './billing-row.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { newKey } from './key-store.ts';
import { knownScopes } from './named-key-store.ts';
import { within } from './open.ts';

/** Accounts and keys on Postgres. Without a sealer, new keys have no sealed copy. */
export function createAccountStore(prisma: PrismaClient, sealer?: KeySealer): AccountStore {
  return {
    async create(account: NewAccount) {
      const accountId = newId('account');
      const startsAt = account.startsAt ?? new Date();
      const step = startPlan(account.plan, startsAt);
      const key = plans[account.plan].apiAccess ? await newKey(accountId, sealer) : undefined;
      await prisma.$transaction(async transaction => {
        await transaction.account.create({
          data: {
            accountId,
            name: account.name,
            requestsPerSecond: account.requestsPerSecond ?? null,
            // The cycle is running, so the grace period after it does not matter yet.
            ...billingColumns(step.billing, { now: startsAt, graceDays: 0 }),
          },
        });
        await writeConsequences(transaction, accountId, step, undefined);
        if (key) {
          await transaction.apiKey.create({ data: key.row });
        }
        if (account.credits > 0) {
          await transaction.outbox.create({ data: operatorGrantRow(accountId, account.credits) });
        }
      });
      return { accountId, ...(key && { apiKeyId: key.apiKeyId, apiKey: key.apiKey }) };
    },

    async revokeKey(apiKeyId) {
      const at = new Date();
      return prisma.$transaction(async transaction => {
        // Every transaction locks the account before its key; another order could deadlock.
        await sql.lock_account_of_key(within(transaction), { api_key_id: apiKeyId });
        const where = { apiKeyId, revokedAt: null };
        const [revoked] = [
          ...(await transaction.apiKey.updateManyAndReturn({
            where,
            data: { revokedAt: at, sealedKey: null, sealedKid: null },
          })),
          ...(await transaction.namedApiKey.updateManyAndReturn({ where, data: { revokedAt: at } })),
        ];
        if (!revoked) {
          return false;
        }
        const { accountId, displayPrefix } = revoked;
        const kind = 'api_key_revoked' satisfies SecurityEventKind;
        const event = { accountId, kind, at, clientNetwork: 'operator', userAgent: '' };
        await transaction.securityEvent.create({
          data: { ...event, details: { display_prefix: displayPrefix } },
        });
        return true;
      });
    },

    async requestGrant(accountId, credits, terms) {
      if (!(await prisma.account.findUnique({ where: { accountId } }))) {
        return false;
      }
      await prisma.outbox.create({ data: operatorGrantRow(accountId, credits, terms) });
      return true;
    },

    async pendingGrants(accountId) {
      return prisma.outbox.count({
        where: {
          jobType: { in: [grantCreditsJob.name, openBillingCycleJob.name] },
          payload: { path: ['accountId'], equals: accountId },
          doneAt: null,
        },
      });
    },
  };
}

const adjustment: GrantTerms = { kind: 'adjustment' };

function operatorGrantRow(
  accountId: AccountId,
  amount: number,
  terms: GrantTerms = adjustment,
): Prisma.OutboxCreateInput {
  const cause = terms.kind === 'top_up' ? 'operator-top-up' : 'operator-grant';
  return grantRow(accountId, amount, { ...terms, cause });
}

/** Creates an account on the free plan within a transaction, and opens its first cycle. */
export async function insertFreeAccount(
  client: PoolClient,
  { accountId, name, now }: { accountId: AccountId; name: string; now: Date },
): Promise<void> {
  const { billing, opens } = startPlan('free', now);
  const columns = billingColumns(billing, { now, graceDays: 0 });
  await sql.insert_account(client, {
    account_id: accountId,
    name,
    plan: columns.plan,
    now,
    anchor: columns.billingAnchor,
    starts_at: columns.cycleStartsAt,
    ends_at: columns.cycleEndsAt,
    due_at: columns.billingDueAt,
  });
  if (opens) {
    const { jobType, payload, traceParent } = openCycleRow(accountId, billing.plan, opens);
    const job = { job_type: jobType, payload: JSON.stringify(payload), trace_parent: traceParent };
    await sql.queue_job(client, job);
    tellWritten(client, 'outbox');
  }
}

/** Renames an account. */
export function createRenameAccount(prisma: PrismaClient) {
  return async (accountId: AccountId, name: string): Promise<void> => {
    const { count } = await prisma.account.updateMany({ where: { accountId }, data: { name } });
    if (count === 0) {
      throw new AccountDeleted(accountId);
    }
  };
}

/**
 * Finds a key's account, in one statement and without a cache: a revoked or expired key, or one whose plan lapsed, is
 * refused on the next request at every replica. `noteUse` gets a named key whose last use was noted over a minute ago.
 */
export function createKeyLookup(pool: Pool, noteUse: (apiKeyId: ApiKeyId) => void): LookUpKey {
  return async key => {
    const { rows } = await access.look_up_key(pool, { key_sha256: hashApiKey(key) });
    const [row] = rows;
    if (!row) {
      return { kind: 'unknown' };
    }
    if (row.revoked_at) {
      return { kind: 'revoked' };
    }
    if (row.is_expired) {
      return { kind: 'expired' };
    }
    const account = accountOf(row);
    if (!plans[account.plan].apiAccess) {
      return { kind: 'planWithoutApiAccess' };
    }
    const apiKeyId = row.api_key_id as ApiKeyId;
    if (row.is_use_due) {
      noteUse(apiKeyId);
    }
    return {
      kind: 'active',
      account,
      apiKeyId,
      isTest: row.is_test,
      scopes: row.scopes === null ? keyScopeNames : knownScopes(row.scopes),
    };
  };
}

interface AccountRow {
  readonly account_id: string;
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
}

export function accountOf(row: AccountRow): Account {
  const plan = planOf(row.account_id, row.plan);
  return {
    accountId: row.account_id as AccountId,
    name: row.name,
    plan,
    requestsPerSecond: rateOf(plan, row.requests_per_second),
  };
}
