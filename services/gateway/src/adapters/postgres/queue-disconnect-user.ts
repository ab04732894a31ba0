import { traceParent } from '@mailproof/service-kit';
import { type AccountId, disconnectUserAssistantsJob, type UserId } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import { clockOf } from './clock-of.ts';

/**
 * A consent recorded just before the user's assistants are ended may reach the tool server's tables after the first
 * request to end them. By the second request, it has long arrived or failed.
 */
const askAgainAfterMs = 300_000;

/** Queues, within a transaction that holds the user's row, the end of everything that the user has connected so far. */
export async function queueDisconnectUser(
  client: PoolClient,
  accountId: AccountId,
  userId: UserId,
): Promise<void> {
  const until = (await clockOf(client)).toISOString();
  await client.query(
    `INSERT INTO outbox (job_type, payload, due_at, trace_parent)
     SELECT $1, $2, now() + make_interval(secs => wait_ms / 1000.0), $4 FROM unnest(ARRAY[0, $3::int]) AS wait_ms`,
    [
      disconnectUserAssistantsJob.name,
      disconnectUserAssistantsJob.payload.parse({ accountId, userId, until }),
      askAgainAfterMs,
      traceParent(),
    ],
  );
}
