import { type AccountId, type PlanName, plans } from '@mailproof/shared-types';
import { type AccountStore, rateOf } from '../../domain/account.ts';
import { hashApiKey } from '../../domain/api-key.ts';
import type { PrismaClient } from './generated/client.ts';

interface KeyRow {
  readonly account_id: string;
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
  readonly revoked_at: Date | null;
}

/**
 * Finds a key's account, in one statement and without a cache: a key that was revoked or whose plan lapsed is refused
 * on the next request at every replica.
 */
export function createKeyLookup(prisma: PrismaClient): AccountStore['lookUpKey'] {
  return async key => {
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
    if (!plans[plan].apiAccess) {
      return { kind: 'planWithoutApiAccess' };
    }
    return {
      kind: 'active',
      account: {
        accountId: row.account_id as AccountId,
        name: row.name,
        plan,
        requestsPerSecond: rateOf(plan, row.requests_per_second),
      },
    };
  };
}
