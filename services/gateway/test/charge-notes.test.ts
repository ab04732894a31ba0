import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { createChargeNotes } from '../src/adapters/postgres/charge-notes.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

let database: OpenTestDatabase;
let notes: ReturnType<typeof createChargeNotes>;

beforeAll(async () => {
  database = await openTestDatabase();
  notes = createChargeNotes(database.pool);
});

afterAll(() => database?.close());

function newNote(): Promise<string> {
  return notes.writeDown({
    holdId: newId('hold'),
    accountId: newId('account'),
    runId: newId('request'),
    cause: 'validate-single-email',
    amount: 1,
  });
}

/** Each recorded note, with the transaction that struck it off, if any. */
async function deletedNotes(): Promise<Map<string, string | undefined>> {
  const { rows } = await database.pool.query<{ id: string; transaction?: string }>(
    'SELECT outbox_id AS id, CASE WHEN done_at IS NOT NULL THEN xmin::text END AS transaction FROM outbox',
  );
  return new Map(rows.map(({ id, transaction }) => [id, transaction ?? undefined]));
}

describe('notes of charges', () => {
  it('are struck off together, and no others with them', async () => {
    const [kept = '', ...done] = await Promise.all([newNote(), newNote(), newNote()]);
    await Promise.all(done.map(notes.deleteNote));
    const after = await deletedNotes();
    expect(after.get(kept)).toBeUndefined();
    expect(new Set(done.map(id => after.get(id)))).toEqual(new Set([expect.any(String)]));
  });

  it('say so to every caller that waits, if they cannot be removed', async () => {
    const ids = [await newNote(), 'no number'];
    const ends = await Promise.allSettled(ids.map(notes.deleteNote));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
