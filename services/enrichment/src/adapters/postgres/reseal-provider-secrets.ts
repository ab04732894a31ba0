import type { Sealer } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { Pool } from 'pg';

/**
 * Seals anew, under the ring's first key, whatever another key of it sealed, so that the other one can be taken out after
 * a round. What no key opens is left as it is; its owner is told when the provider is asked. Answers how many were sealed.
 */
export async function resealProviderSecrets(pool: Pool, sealer: Sealer): Promise<number> {
  const { rows } = await pool.query<{ account_id: AccountId; sealed_secrets: string }>(
    'SELECT account_id, sealed_secrets FROM profile_provider WHERE sealed_secrets IS NOT NULL',
  );
  let resealed = 0;
  for (const { account_id, sealed_secrets } of rows) {
    if (kidOf(sealed_secrets) !== sealer.currentKid) {
      const text = await sealer.open(sealed_secrets, account_id).catch(() => undefined);
      if (text !== undefined) {
        // Only what is still as it was read: whoever set it up meanwhile has sealed it already.
        const { rowCount } = await pool.query(
          'UPDATE profile_provider SET sealed_secrets = $3 WHERE account_id = $1 AND sealed_secrets = $2',
          [account_id, sealed_secrets, await sealer.seal(text, account_id)],
        );
        resealed += rowCount ?? 0;
      }
    }
  }
  return resealed;
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
