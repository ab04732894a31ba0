import type { Pool } from 'pg';
import type { EndAssistants } from '../../domain/assistant-list.ts';
import { redirectHost } from './assistant-list.ts';

/** What grants of one list entry have in common; an unknown browser equals no other. */
const listEntry = `(user_id, client_id, ${redirectHost}, device_sha256)`;

/** The one statement that ends assistants. Their refresh tokens go with them (`ON DELETE CASCADE`). */
const end = `
  DELETE FROM assistant
  WHERE ($1::text IS NULL OR assistant_id = $1) AND ($2::text IS NULL OR account_id = $2)
    AND ($3::text IS NULL OR user_id = $3) AND ($4::timestamptz IS NULL OR connected_at <= $4)
    AND ($5::text IS NULL OR assistant_id = $5
      OR ${listEntry} = (SELECT user_id, client_id, ${redirectHost}, device_sha256 FROM assistant WHERE assistant_id = $5))`;

export function createEndAssistants(pool: Pool): EndAssistants {
  return async which => {
    const assistantId = 'assistantId' in which ? which.assistantId : undefined;
    const listedAs = 'listedAs' in which ? which.listedAs : undefined;
    const { accountId, userId, connectedUntil } = which;
    if (assistantId === undefined && accountId === undefined) {
      throw new Error('Nobody has said whose assistants end.');
    }
    const values = [assistantId, accountId, userId, connectedUntil, listedAs];
    const { rowCount } = await pool.query(end, values);
    return rowCount ?? 0;
  };
}
