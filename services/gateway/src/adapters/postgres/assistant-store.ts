import { inTransaction, onlyRow, tellWritten, traceParent } from '@mailproof/service-kit';
import {
  type AccountId,
  disconnectUserAssistantsJob,
  type SecurityEventKind,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { FindAssistantGrounds } from '../../domain/assistants/assistant-access.ts';
import type { AssistantSignInStore } from '../../domain/assistants/sign-in-for-assistant.ts';
import { sql } from './access.sql.ts';
import { accountOf } from './account-store.ts';
import { sql as accounts } from './accounts.sql.ts';
import { writeSecurityEvent } from './security-event-log.ts';
import { databaseTime, holdUser } from './user-store.ts';

/** Finds an account's grounds for assistants, in one statement, because every tool call needs them. */
export function createAssistantGrounds(pool: Pool): FindAssistantGrounds {
  return async (accountId, userId) => {
    const { rows } = await sql.find_assistant_grounds(pool, { account_id: accountId, user_id: userId });
    const [row] = rows;
    return (
      row && {
        account: accountOf({ ...row, account_id: accountId }),
        email: row.email,
        hasActiveKey: row.has_active_key,
      }
    );
  };
}

/** Events that void earlier sign-ins at the tool server; each also ends the user's assistants. */
const endings = ['password_changed', 'signed_out_everywhere'] as const satisfies readonly SecurityEventKind[];

/**
 * Sign-ins at the tool server on Postgres. Each transaction locks the user's row, as does everything that ends
 * assistants, so the security log's numbers follow the order of effect, regardless of the gateways' clocks.
 */
export function createAssistantSignIns(pool: Pool): AssistantSignInStore {
  return {
    begin: ({ user: { accountId, userId }, passwordHash, client: from, now }) =>
      inTransaction(pool, async client => {
        if ((await holdUser(client, userId))?.password_hash !== passwordHash) {
          return undefined;
        }
        const event = { accountId, userId, kind: 'assistant_sign_in', at: now, client: from } as const;
        const signInId = await writeSecurityEvent(client, event);
        const { name } = await onlyRow(accounts.account_name(client, { account_id: accountId }));
        return { signInId, accountName: name };
      }),

    connect: ({ accountId, userId, assistantId, signInId, client: from, since, now: at }) =>
      inTransaction(pool, async client => {
        const user = await holdUser(client, userId);
        if (user?.account_id !== accountId) {
          return undefined;
        }
        const { rowCount } = await sql.find_assistant_sign_in(client, {
          account_id: accountId,
          user_id: userId,
          sign_in_id: BigInt(signInId),
          since,
          endings,
        });
        if (rowCount === 0) {
          return undefined;
        }
        const details = { assistant_id: assistantId };
        const event = { accountId, userId, kind: 'assistant_connected', at, client: from, details } as const;
        await writeSecurityEvent(client, event);
        return databaseTime(client);
      }),
  };
}

/** Queues, within a transaction that holds the user's row, the end of everything that the user has connected so far. */
export async function queueDisconnectUser(
  client: PoolClient,
  accountId: AccountId,
  userId: UserId,
): Promise<void> {
  const until = (await databaseTime(client)).toISOString();
  await sql.queue_end_of_assistants(client, {
    job_type: disconnectUserAssistantsJob.name,
    payload: JSON.stringify(disconnectUserAssistantsJob.payload.parse({ accountId, userId, until })),
    trace_parent: traceParent(),
  });
  tellWritten(client, 'outbox');
}
