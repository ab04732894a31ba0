import type { Pool, PoolClient } from 'pg';
import { recognitionHashes } from '../../../domain/privacy/recognition.ts';
import type { Recognition, SuppressionCheck } from '../../../domain/privacy/subjects.ts';

export function createSuppressionCheck(pool: Pool, key: Uint8Array): SuppressionCheck {
  return {
    isSuppressed: async person => (await readSuppressed(pool, key, [person]))[0] ?? false,
    areSuppressed: people => readSuppressed(pool, key, people),
  };
}

/** Returns whether each of these people is suppressed, in their order. */
export async function readSuppressed(
  client: Pool | PoolClient,
  key: Uint8Array,
  people: readonly Recognition[],
): Promise<boolean[]> {
  // Most installations start with an empty list, and hashing costs more than a query.
  const { rows: any } = await client.query('SELECT 1 FROM suppression LIMIT 1');
  if (any.length === 0) {
    return people.map(() => false);
  }
  const hashes = people.map(person => recognitionHashes(key, person));
  const { rows } = await client.query<{ key_hash: Buffer }>(
    'SELECT key_hash FROM suppression WHERE key_hash = ANY ($1)',
    [hashes.flat()],
  );
  const found = new Set(rows.map(({ key_hash }) => key_hash.toString('hex')));
  return hashes.map(each => each.some(hash => found.has(hash.toString('hex'))));
}
