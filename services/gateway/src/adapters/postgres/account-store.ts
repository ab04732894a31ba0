import { traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  grantCreditsJob,
  newId,
  openBillingCycleJob,
  plans,
  type SecurityEventKind,
} from '@mailproof/shared-types';
import type { AccountStore, GrantTerms, NewAccount } from '../../domain/accounts/account.ts';
import { startPlan } from '../../domain/billing/billing.ts';
import type { KeySealer } from '../../domain/keys/key-sealer.ts';
import { billingColumns, writeConsequences } from './billing-row.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { newKey } from './new-key.ts';

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
          await transaction.outbox.create({ data: grantRow(accountId, account.credits) });
        }
      });
      return { accountId, ...(key && { apiKeyId: key.apiKeyId, apiKey: key.apiKey }) };
    },

    async revokeKey(apiKeyId) {
      const at = new Date();
      return prisma.$transaction(async transaction => {
        // Every transaction locks the account before its key; another order could deadlock.
        await transaction.$queryRaw`
          SELECT 1 FROM account JOIN api_key USING (account_id) WHERE api_key_id = ${apiKeyId} FOR UPDATE OF account`;
        const [revoked] = await transaction.apiKey.updateManyAndReturn({
          where: { apiKeyId, revokedAt: null },
          data: { revokedAt: at, sealedKey: null, sealedKid: null },
        });
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
      await prisma.outbox.create({ data: grantRow(accountId, credits, terms) });
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

function grantRow(
  accountId: AccountId,
  amount: number,
  { kind, expiresAt }: GrantTerms = adjustment,
): Prisma.OutboxCreateInput {
  const payload = grantCreditsJob.payload.parse({
    grantId: newId('creditGrant'),
    accountId,
    amount,
    kind: kind === 'top_up' ? kind : undefined,
    expiresAt: expiresAt?.toISOString(),
    cause: kind === 'top_up' ? 'operator-top-up' : 'operator-grant',
  });
  return { jobType: grantCreditsJob.name, payload, traceParent: traceParent() };
}
