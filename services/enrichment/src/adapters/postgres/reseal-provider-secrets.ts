import { resealColumn, type Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';

/** Seals the providers' secrets anew, under the ring's first key. Answers how many there were to seal. */
export function resealProviderSecrets(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'profile_provider',
    subject: 'account_id',
    column: 'sealed_secrets',
  });
}
