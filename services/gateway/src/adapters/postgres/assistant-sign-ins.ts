import { inTransaction } from '@mailproof/service-kit';
import type { SecurityEventKind } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import type { AssistantSignInStore } from '../../domain/assistants/sign-in-for-assistant.ts';
import { clockOf } from './clock-of.ts';
import { holdUser } from './hold-user.ts';
import { writeSecurityEvent } from './security-event-log.ts';

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
        const { rows } = await client.query<{ name: string }>(
          'SELECT name FROM account WHERE account_id = $1',
          [accountId],
        );
        return { signInId, accountName: rows[0]?.name ?? '' };
      }),

    connect: ({ accountId, userId, assistantId, signInId, client: from, since, now }) =>
      inTransaction(pool, async client => {
        const user = await holdUser(client, userId);
        if (
          user?.account_id !== accountId ||
          !(await isGood(client, { accountId, userId, signInId, since }))
        ) {
          return undefined;
        }
        const details = { assistant_id: assistantId };
        const event = {
          accountId,
          userId,
          kind: 'assistant_connected',
          at: now,
          client: from,
          details,
        } as const;
        await writeSecurityEvent(client, event);
        return clockOf(client);
      }),
  };
}

async function isGood(
  client: PoolClient,
  signIn: { accountId: string; userId: string; signInId: string; since: Date },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM security_event
     WHERE account_id = $1 AND user_id = $2 AND security_event_id = $3 AND kind = 'assistant_sign_in' AND at > $4
       AND NOT EXISTS (
         SELECT 1 FROM security_event later
         WHERE later.account_id = $1 AND later.user_id = $2 AND later.security_event_id > $3
           AND later.kind = ANY($5))`,
    [signIn.accountId, signIn.userId, signIn.signInId, signIn.since, endings],
  );
  return rowCount === 1;
}
