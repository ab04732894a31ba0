import {
  type AccountId,
  type ApiKeyId,
  grantCreditsJob,
  newId,
  type PlanName,
} from '@mailproof/shared-types';
import type { AccountStore, KeyLookup, NewAccount } from '../../domain/account.ts';
import { rateOf } from '../../domain/account.ts';
import { type ApiKey, displayPrefixOf, generateApiKey, hashApiKey } from '../../domain/api-key.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';

interface KeyRow {
  readonly account_id: string;
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
  readonly revoked_at: Date | null;
}

/** Accounts and keys on Postgres. Lookups are not cached: a revoked key is refused on the next request everywhere. */
export function createAccountStore(prisma: PrismaClient): AccountStore {
  return {
    async lookUpKey(key): Promise<KeyLookup> {
      const [row] = await prisma.$queryRaw<KeyRow[]>`
        SELECT account_id, name, plan, requests_per_second, revoked_at
        FROM api_key JOIN account USING (account_id) WHERE key_sha256 = ${hashApiKey(key)}`;
      if (!row) {
        return { kind: 'unknown' };
      }
      if (row.revoked_at) {
        return { kind: 'revoked' };
      }
      const plan = row.plan as PlanName;
      return {
        kind: 'active',
        account: {
          accountId: row.account_id as AccountId,
          name: row.name,
          plan,
          requestsPerSecond: rateOf(plan, row.requests_per_second),
        },
      };
    },

    async create(account: NewAccount) {
      const accountId = newId('account');
      const key = newKey(accountId);
      await prisma.$transaction([
        prisma.account.create({
          data: {
            accountId,
            name: account.name,
            plan: account.plan,
            requestsPerSecond: account.requestsPerSecond ?? null,
          },
        }),
        prisma.apiKey.create({ data: key.row }),
        ...(account.credits > 0
          ? [prisma.outbox.create({ data: grantRow(accountId, account.credits) })]
          : []),
      ]);
      return { accountId, apiKeyId: key.apiKeyId, apiKey: key.apiKey };
    },

    async addKey(accountId) {
      if (!(await prisma.account.findUnique({ where: { accountId } }))) {
        return undefined;
      }
      const { apiKeyId, apiKey, row } = newKey(accountId);
      await prisma.apiKey.create({ data: row });
      return { apiKeyId, apiKey };
    },

    async revokeKey(apiKeyId) {
      const { count } = await prisma.apiKey.updateMany({
        where: { apiKeyId, revokedAt: null },
        data: { revokedAt: new Date() },
      });
      return count === 1;
    },

    async requestGrant(accountId, credits) {
      if (!(await prisma.account.findUnique({ where: { accountId } }))) {
        return false;
      }
      await prisma.outbox.create({ data: grantRow(accountId, credits) });
      return true;
    },

    async pendingGrants(accountId) {
      return prisma.outbox.count({
        where: {
          jobType: grantCreditsJob.name,
          payload: { path: ['accountId'], equals: accountId },
          doneAt: null,
        },
      });
    },
  };
}

function newKey(accountId: AccountId): {
  apiKeyId: ApiKeyId;
  apiKey: ApiKey;
  row: Prisma.ApiKeyUncheckedCreateInput;
} {
  const apiKeyId = newId('apiKey');
  const apiKey = generateApiKey();
  const row = {
    apiKeyId,
    accountId,
    keySha256: new Uint8Array(hashApiKey(apiKey)),
    displayPrefix: displayPrefixOf(apiKey),
  };
  return { apiKeyId, apiKey, row };
}

function grantRow(accountId: AccountId, amount: number): Prisma.OutboxCreateInput {
  const payload = { grantId: newId('creditGrant'), accountId, amount, cause: 'operator-grant' };
  return { jobType: grantCreditsJob.name, payload: grantCreditsJob.payload.parse(payload) };
}
