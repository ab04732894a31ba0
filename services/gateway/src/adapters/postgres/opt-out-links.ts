import { inTransaction } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import type { OptOutLinks } from '../../domain/opt-outs/opt-out.ts';
import { insertLink, queueMail } from './queue-mail.ts';

export function createOptOutLinks(pool: Pool): OptOutLinks {
  return {
    ask: ({ email, profileUrl, now }) =>
      inTransaction(pool, async client => {
        const linkId = await insertLink(client, { purpose: 'opt_out', email: null, profileUrl, now });
        await queueMail(client, { kind: 'opt_out', email, linkId, now });
      }),

    async find(linkId, now) {
      const { rows } = await pool.query<{ profileUrl: string }>(
        `SELECT profile_url AS "profileUrl" FROM one_time_link
         WHERE link_id = $1 AND purpose = 'opt_out' AND used_at IS NULL AND expires_at > $2`,
        [linkId, now],
      );
      return rows[0];
    },

    async drop(linkId) {
      await pool.query("DELETE FROM one_time_link WHERE link_id = $1 AND purpose = 'opt_out'", [linkId]);
    },
  };
}
