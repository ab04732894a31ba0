import { type AccountId, type ApiKeyId, plans } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { type LookUpKey, planOf, rateOf } from '../../domain/accounts/account.ts';
import { hashApiKey } from '../../domain/keys/api-key.ts';

interface KeyRow {
  readonly account_id: string;
  readonly api_key_id: string;
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
  readonly revoked_at: Date | null;
}

const lookUpKey = `
  SELECT account_id, api_key_id, name, plan, requests_per_second, revoked_at
  FROM api_key JOIN account USING (account_id) WHERE key_sha256 = $1`;

/**
 * Finds a key's account, in one statement and without a cache: a revoked key, or one whose plan lapsed, is refused on
 * the next request at every replica.
 */
export function createKeyLookup(pool: Pool): LookUpKey {
  return async key => {
    // Prepared once per connection: no other statement runs as often.
    const { rows } = await pool.query<KeyRow>({
      name: 'look-up-key',
      text: lookUpKey,
      values: [hashApiKey(key)],
    });
    const [row] = rows;
    if (!row) {
      return { kind: 'unknown' };
    }
    if (row.revoked_at) {
      return { kind: 'revoked' };
    }
    const plan = planOf(row.account_id, row.plan);
    if (!plans[plan].apiAccess) {
      return { kind: 'planWithoutApiAccess' };
    }
    return {
      kind: 'active',
      apiKeyId: row.api_key_id as ApiKeyId,
      account: {
        accountId: row.account_id as AccountId,
        name: row.name,
        plan,
        requestsPerSecond: rateOf(plan, row.requests_per_second),
      },
    };
  };
}
