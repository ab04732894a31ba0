import type { Pool, PoolClient } from 'pg';
import { recognitionHashes } from '../../../domain/privacy/recognition.ts';
import type { Recognition, SuppressionCheck } from '../../../domain/privacy/subjects.ts';
import { sql } from '../profiles.sql.ts';

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
  if ((await sql.find_any_suppression(client, {})).rowCount === 0) {
    return people.map(() => false);
  }
  const hashes = people.map(person => recognitionHashes(key, person));
  const { rows } = await sql.find_suppressions(client, { key_hashes: hashes.flat() });
  const found = new Set(rows.map(({ key_hash }) => key_hash.toString('hex')));
  return hashes.map(each => each.some(hash => found.has(hash.toString('hex'))));
}
