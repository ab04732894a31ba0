import type { Pool } from 'pg';
import { planOf, rateOf } from '../../domain/accounts/account.ts';
import type { FindAssistantGrounds } from '../../domain/assistants/assistant-access.ts';

interface GroundsRow {
  readonly name: string;
  readonly plan: string;
  readonly requests_per_second: number | null;
  readonly email: string;
  readonly has_active_key: boolean;
}

const findGrounds = `
  SELECT account.name, account.plan, account.requests_per_second, app_user.email,
    EXISTS (SELECT FROM api_key WHERE api_key.account_id = account.account_id AND revoked_at IS NULL) has_active_key
  FROM app_user JOIN account USING (account_id)
  WHERE app_user.user_id = $1 AND app_user.account_id = $2`;

/** Finds an account's grounds for assistants, in one statement, because every tool call needs them. */
export function createAssistantGrounds(pool: Pool): FindAssistantGrounds {
  return async (accountId, userId) => {
    const { rows } = await pool.query<GroundsRow>({
      name: 'find-assistant-grounds',
      text: findGrounds,
      values: [userId, accountId],
    });
    const [row] = rows;
    if (!row) {
      return undefined;
    }
    const plan = planOf(accountId, row.plan);
    return {
      account: {
        accountId,
        name: row.name,
        plan,
        requestsPerSecond: rateOf(plan, row.requests_per_second),
      },
      email: row.email,
      hasActiveKey: row.has_active_key,
    };
  };
}
