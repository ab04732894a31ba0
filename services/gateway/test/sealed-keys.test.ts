import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RingKey } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import { createKeySealer } from '../src/adapters/jose/key-sealer.ts';
import { createAccountStore, createKeyLookup } from '../src/adapters/postgres/account-store.ts';
import { createKeyStore } from '../src/adapters/postgres/key-store.ts';
import { rotateSealedKeys } from '../src/domain/keys/rotate-sealed-keys.ts';
import { showApiKey } from '../src/domain/keys/show-api-key.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

const old: RingKey = { kid: 'old', key: new Uint8Array(32).fill(1) };
const current: RingKey = { kid: 'current', key: new Uint8Array(32).fill(2) };

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database?.close());

function withRing(...ring: [RingKey, ...RingKey[]]) {
  const sealer = createKeySealer(ring);
  return { sealer, keys: createKeyStore(database.prisma, sealer) };
}

async function open(ring?: RingKey) {
  const accounts = createAccountStore(database.prisma, ring && createKeySealer([ring]));
  const { accountId, apiKey = '' } = await accounts.create({ name: 'Test', plan: 'custom', credits: 0 });
  return { accountId, apiKey };
}

async function kidOf(accountId: AccountId): Promise<string | null> {
  const { rows } = await database.pool.query(
    'SELECT sealed_kid FROM api_key WHERE account_id = $1 AND revoked_at IS NULL',
    [accountId],
  );
  return rows[0]?.sealed_kid;
}

describe('an API key', () => {
  it('is shown as it was given out, while the database holds it neither in clear nor in base64', async () => {
    const { accountId, apiKey } = await open(old);
    expect(await showApiKey(withRing(old), accountId)).toMatchObject({ kind: 'shown', apiKey });
    const { rows } = await database.pool.query('SELECT * FROM api_key WHERE account_id = $1', [accountId]);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(apiKey);
    expect(stored).not.toContain(Buffer.from(apiKey).toString('base64url'));
  });

  it('cannot be shown where it has no sealed copy, or its ring is lost, and is still looked up by its hash', async () => {
    for (const ring of [undefined, old]) {
      const { accountId, apiKey } = await open(ring);
      expect((await showApiKey(withRing(current), accountId)).kind).toBe('cannot_be_shown');
      const lookup = await createKeyLookup(database.pool, () => undefined)(apiKey as never);
      expect(lookup).toMatchObject({ kind: 'active', account: { accountId } });
    }
  });

  it('is refused when sealed copies were swapped between accounts, or moved within one', async () => {
    const [one, other] = [await open(old), await open(old)];
    await database.pool.query(
      `UPDATE api_key SET sealed_key = swapped.sealed_key FROM api_key swapped
       WHERE (api_key.account_id, swapped.account_id) IN (($1, $2), ($2, $1))`,
      [one.accountId, other.accountId],
    );
    for (const { accountId } of [one, other]) {
      expect(await showApiKey(withRing(old), accountId)).toMatchObject({
        kind: 'cannot_be_shown',
        cause: { kind: 'not_authentic' },
      });
    }
    const moved = await open(old);
    const { rows } = await database.pool.query('SELECT sealed_key FROM api_key WHERE account_id = $1', [
      moved.accountId,
    ]);
    await withRing(old).keys.regenerate(moved.accountId, new Date());
    await database.pool.query(
      'UPDATE api_key SET sealed_key = $2 WHERE account_id = $1 AND revoked_at IS NULL',
      [moved.accountId, rows[0].sealed_key],
    );
    expect(await showApiKey(withRing(old), moved.accountId)).toMatchObject({
      kind: 'cannot_be_shown',
      cause: { kind: 'not_authentic' },
    });
  });

  it('is sealed under the current key when it is read', async () => {
    const { accountId, apiKey } = await open(old);
    expect(await showApiKey(withRing(current, old), accountId)).toMatchObject({ kind: 'shown', apiKey });
    expect(await kidOf(accountId)).toBe('current');
    expect(await showApiKey(withRing(current), accountId)).toMatchObject({ kind: 'shown', apiKey });
  });

  it('leaves no sealed copy behind when it is replaced, and exactly one key of those who replace it at once', async () => {
    const { accountId } = await open(old);
    const ports = withRing(old);
    const made = await Promise.all(
      Array.from({ length: 6 }, () => ports.keys.regenerate(accountId, new Date())),
    );
    const { rows } = await database.pool.query(
      'SELECT revoked_at IS NULL AS active, sealed_key IS NULL AS bare FROM api_key WHERE account_id = $1',
      [accountId],
    );
    expect(rows.filter(({ active }) => active)).toEqual([{ active: true, bare: false }]);
    expect(rows.filter(({ active }) => !active).every(({ bare }) => bare)).toBe(true);
    const shown = await showApiKey(ports, accountId);
    expect(made.map(each => each?.apiKey)).toContain(shown.kind === 'shown' && shown.apiKey);
  });
});

describe('a rotation', () => {
  beforeAll(async () => {
    // Copies that the tests above have corrupted would rightly be reported as failed.
    await database.pool.query('UPDATE api_key SET revoked_at = now(), sealed_key = NULL, sealed_kid = NULL');
  });

  it('reseals every copy while keys are read and replaced, and can be run again', async () => {
    const opened = await Promise.all(Array.from({ length: 60 }, () => open(old)));
    const ports = withRing(current, old);
    const progress: number[] = [];
    const replaced = opened.slice(0, 5);
    const [rotation, again] = await Promise.all([
      rotateSealedKeys(ports, done => progress.push(done)),
      rotateSealedKeys(ports, () => undefined),
      ...opened.slice(5).map(async ({ accountId, apiKey }) => {
        expect(await showApiKey(ports, accountId)).toMatchObject({ kind: 'shown', apiKey });
      }),
      ...replaced.map(({ accountId }) => withRing(old).keys.regenerate(accountId, new Date())),
    ]);
    expect(rotation.failed).toEqual([]);
    expect(again.failed).toEqual([]);
    expect(progress.length).toBeGreaterThan(0);
    await rotateSealedKeys(ports, () => undefined);
    for (const { accountId } of opened) {
      expect(await kidOf(accountId)).toBe('current');
    }
    for (const { accountId, apiKey } of opened.slice(5)) {
      expect(await showApiKey(withRing(current), accountId)).toMatchObject({ kind: 'shown', apiKey });
    }
    expect(await rotateSealedKeys(ports, () => undefined)).toEqual({ resealed: 0, failed: [] });
  });

  it('names the keys that it could not open, and leaves them as they are', async () => {
    const lost = await open({ kid: 'lost', key: new Uint8Array(32).fill(9) });
    const { failed } = await rotateSealedKeys(withRing(current, old), () => undefined);
    expect(failed).toHaveLength(1);
    expect(await kidOf(lost.accountId)).toBe('lost');
  });
});
