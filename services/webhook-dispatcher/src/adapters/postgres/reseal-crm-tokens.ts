import { resealColumn, type Sealer } from '@mailproof/service-kit';
import type { Pool } from 'pg';

/** Seals the tokens for CRMs anew, under the ring's first key. Answers how many there were to seal. */
export function resealCrmTokens(pool: Pool, sealer: Sealer): Promise<number> {
  return resealColumn(pool, sealer, {
    table: 'crm_connection',
    subject: 'connection_id',
    column: 'sealed_tokens',
  });
}
