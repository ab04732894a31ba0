import type { Sealer } from '@mailproof/service-kit';
import type { CrmConnectionId } from '@mailproof/shared-types';
import type { Pool } from 'pg';

/** Connections that are looked at together. */
const atOnceMax = 200;

/**
 * Seals anew, under the ring's first key, whatever another key of it sealed, so that the other one can be taken out after
 * a round. What no key opens is left as it is; its account is told when the CRM is to be asked. Answers how many were
 * sealed.
 */
export async function resealCrmTokens(pool: Pool, sealer: Sealer): Promise<number> {
  let resealed = 0;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<{ connection_id: CrmConnectionId; sealed_tokens: string }>(
      `SELECT connection_id, sealed_tokens FROM crm_connection WHERE connection_id > $1
       ORDER BY connection_id LIMIT ${atOnceMax}`,
      [after],
    );
    for (const { connection_id, sealed_tokens } of rows) {
      if (kidOf(sealed_tokens) !== sealer.currentKid) {
        const text = await sealer.open(sealed_tokens, connection_id).catch(() => undefined);
        if (text !== undefined) {
          // Only what is still as it was read: whoever renewed it meanwhile has sealed it already.
          const { rowCount } = await pool.query(
            'UPDATE crm_connection SET sealed_tokens = $3 WHERE connection_id = $1 AND sealed_tokens = $2',
            [connection_id, sealed_tokens, await sealer.seal(text, connection_id)],
          );
          resealed += rowCount ?? 0;
        }
      }
    }
    const last = rows.at(-1);
    if (!last) {
      return resealed;
    }
    after = last.connection_id;
  }
}

/** The protected header of a compact JWE (RFC 7516 section 7.1) is its first part. */
function kidOf(sealed: string): unknown {
  try {
    const [header = ''] = sealed.split('.');
    return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: unknown }).kid;
  } catch {
    return undefined;
  }
}
