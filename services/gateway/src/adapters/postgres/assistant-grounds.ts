import type { Pool } from 'pg';
import { planOf } from '../../domain/accounts/account.ts';
import type { FindAssistantGrounds } from '../../domain/assistants/assistant-access.ts';

interface GroundsRow {
  readonly name: string;
  readonly plan: string;
  readonly email: string;
  readonly sealed_key: string | null;
}

// The key that the profile shows: the newest active one.
const findGrounds = `
  SELECT account.name, account.plan, app_user.email, active_key.sealed_key
  FROM app_user JOIN account USING (account_id)
  LEFT JOIN LATERAL (
    SELECT sealed_key FROM api_key WHERE api_key.account_id = account.account_id AND revoked_at IS NULL
    ORDER BY api_key_id DESC LIMIT 1) active_key ON true
  WHERE app_user.user_id = $1 AND app_user.account_id = $2`;

/** Finds what an account has for assistants, in one statement: every call of a tool asks for it. */
export function createAssistantGrounds(pool: Pool): FindAssistantGrounds {
  return async (accountId, userId) => {
    const { rows } = await pool.query<GroundsRow>({
      name: 'find-assistant-grounds',
      text: findGrounds,
      values: [userId, accountId],
    });
    const [row] = rows;
    return (
      row && {
        accountName: row.name,
        plan: planOf(accountId, row.plan),
        email: row.email,
        sealedKey: row.sealed_key ?? undefined,
      }
    );
  };
}
