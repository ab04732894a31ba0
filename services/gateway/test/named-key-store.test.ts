import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AccountId, type ApiKeyId, keyScopeNames, limits, newId } from '@mailproof/shared-types';
import { createAccountStore, createKeyLookup } from '../src/adapters/postgres/account-store.ts';
import { createKeyUseLog, createNamedKeyStore } from '../src/adapters/postgres/named-key-store.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import type { NamedKeyTerms } from '../src/domain/keys/named-key.ts';
import { type OpenTestDatabase, openTestDatabase } from './open-test-database.ts';

const client = { network: '192.0.2.1', userAgent: 'Test/1' };
const terms: NamedKeyTerms = { name: 'A form', mode: 'live', scopes: ['validation'], expiresAt: undefined };

let database: OpenTestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database?.close());

async function openAccount() {
  const { accountId, apiKey } = await createAccountStore(database.prisma).create({
    name: 'Test',
    plan: 'custom',
    credits: 0,
  });
  if (!apiKey) {
    throw new Error('The account has no key.');
  }
  return { accountId, apiKey, act: { accountId, userId: newId('user'), client, now: new Date() } };
}

async function createKey(accountId: AccountId, wanted: Partial<NamedKeyTerms> = {}) {
  const act = { accountId, userId: newId('user'), client, now: new Date() };
  const created = await createNamedKeyStore(database.prisma).create({ ...terms, ...wanted }, act);
  if (created === 'exhausted') {
    throw new Error('The account has too many keys.');
  }
  return created;
}

/** Looks a key up; the uses that are due are added to the list. */
const lookUp = (due: ApiKeyId[] = []) => createKeyLookup(database.pool, id => due.push(id));

const lastUseOf = async (apiKeyId: ApiKeyId): Promise<Date | null> =>
  (await database.prisma.namedApiKey.findUniqueOrThrow({ where: { apiKeyId } })).lastUsedAt;

describe('a named key', () => {
  it('is found with its scopes, and the default key with every scope', async () => {
    const { accountId, apiKey } = await openAccount();
    const named = await createKey(accountId, { scopes: ['exports', 'leads'] });
    expect(await lookUp()(named.apiKey)).toMatchObject({
      kind: 'active',
      account: { accountId },
      apiKeyId: named.key.apiKeyId,
      scopes: ['leads', 'exports'],
    });
    expect(await lookUp()(apiKey)).toMatchObject({ kind: 'active', scopes: keyScopeNames });
  });

  it('gives no right for a scope that this release does not know', async () => {
    const { accountId } = await openAccount();
    const { key, apiKey } = await createKey(accountId);
    await database.prisma.namedApiKey.update({
      where: { apiKeyId: key.apiKeyId },
      data: { scopes: ['all', 'constructor'] },
    });
    expect(await lookUp()(apiKey)).toMatchObject({ kind: 'active', scopes: [] });
  });

  it('is refused from its expiry on, and stays expired when it is revoked too', async () => {
    const { accountId, act } = await openAccount();
    const expired = await createKey(accountId, { expiresAt: new Date(Date.now() - 1) });
    const later = await createKey(accountId, { expiresAt: new Date(Date.now() + 3_600_000) });
    expect(await lookUp()(expired.apiKey)).toEqual({ kind: 'expired' });
    expect(await lookUp()(later.apiKey)).toMatchObject({ kind: 'active' });
    expect(await createNamedKeyStore(database.prisma).revoke(expired.key.apiKeyId, act)).toBe(true);
    expect(await lookUp()(expired.apiKey)).toEqual({ kind: 'revoked' });
  });

  it('is one of a bounded number, even if many are created at the same time', async () => {
    const { accountId, act } = await openAccount();
    const store = createNamedKeyStore(database.prisma);
    const made = await Promise.all(
      Array.from({ length: limits.apiKeysMax + 5 }, () => store.create(terms, act)),
    );
    expect(made.filter(each => each === 'exhausted')).toHaveLength(5);
    const [first] = await store.list(accountId);
    expect(await store.revoke(first?.apiKeyId ?? newId('apiKey'), act)).toBe(true);
    expect(await store.create(terms, act)).not.toBe('exhausted');
    expect(await store.list(accountId)).toHaveLength(limits.apiKeysMax);
  });

  it('is revoked by the operator too, and the account’s default key works on', async () => {
    const { accountId, apiKey } = await openAccount();
    const named = await createKey(accountId);
    const accounts = createAccountStore(database.prisma);
    expect(await accounts.revokeKey(named.key.apiKeyId)).toBe(true);
    expect(await accounts.revokeKey(named.key.apiKeyId)).toBe(false);
    expect(await lookUp()(named.apiKey)).toEqual({ kind: 'revoked' });
    expect(await lookUp()(apiKey)).toMatchObject({ kind: 'active' });
  });

  it('goes with its account, although the previous release does not know its table', async () => {
    const { accountId } = await openAccount();
    const { apiKey } = await createKey(accountId);
    for (const table of ['security_event', 'api_key', 'account']) {
      await database.pool.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    }
    expect(await lookUp()(apiKey)).toEqual({ kind: 'unknown' });
  });
});

describe('the last use of a named key', () => {
  it('is noted at most once a minute, and never for the default key', async () => {
    const { accountId, apiKey } = await openAccount();
    const named = await createKey(accountId);
    const due: ApiKeyId[] = [];
    await lookUp(due)(apiKey);
    await lookUp(due)(named.apiKey);
    expect(due).toEqual([named.key.apiKeyId]);

    const uses = createKeyUseLog(database.pool, (_id, error) => {
      throw error;
    });
    for (let request = 0; request < 50; request += 1) {
      uses.note(named.key.apiKeyId);
    }
    await uses.close();
    const noted = await lastUseOf(named.key.apiKeyId);
    expect(noted?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    await lookUp(due)(named.apiKey);
    expect(due).toHaveLength(1);
    // Another replica that looked the key up before the write.
    uses.note(named.key.apiKeyId);
    await uses.close();
    expect(await lastUseOf(named.key.apiKeyId)).toEqual(noted);

    await database.prisma.namedApiKey.update({
      where: { apiKeyId: named.key.apiKeyId },
      data: { lastUsedAt: new Date(Date.now() - 61_000) },
    });
    await lookUp(due)(named.apiKey);
    expect(due).toHaveLength(2);
  });

  it('is noted again by the same process when a minute has passed', async () => {
    const { accountId } = await openAccount();
    const { key } = await createKey(accountId);
    const uses = createKeyUseLog(database.pool, (_id, error) => {
      throw error;
    });
    const longAgo = new Date(Date.now() - 61_000);
    for (let minute = 0; minute < 2; minute += 1) {
      await database.prisma.namedApiKey.update({
        where: { apiKeyId: key.apiKeyId },
        data: { lastUsedAt: longAgo },
      });
      uses.note(key.apiKeyId);
      await uses.close();
      expect((await lastUseOf(key.apiKeyId))?.getTime()).toBeGreaterThan(longAgo.getTime());
    }
  });

  it('fails no request when it cannot be written: the next use is noted', async () => {
    const { accountId } = await openAccount();
    const { key, apiKey } = await createKey(accountId);
    const failed: ApiKeyId[] = [];
    const closed = openDatabase({ url: database.url, connectionsMax: 1, onIdleError: () => undefined });
    await closed.close();
    const failing = createKeyUseLog(closed.pool, id => failed.push(id));
    failing.note(key.apiKeyId);
    await failing.close();
    expect(failed).toEqual([key.apiKeyId]);

    const uses = createKeyUseLog(database.pool, id => failed.push(id));
    const lookUpKey = createKeyLookup(database.pool, uses.note);
    const blocker = await database.pool.connect();
    try {
      // A use that waits for a lock delays no request either.
      await blocker.query('BEGIN');
      await blocker.query('SELECT FROM named_api_key WHERE api_key_id = $1 FOR UPDATE', [key.apiKeyId]);
      for (let request = 0; request < 20; request += 1) {
        expect(await lookUpKey(apiKey)).toMatchObject({ kind: 'active' });
      }
      expect(await lastUseOf(key.apiKeyId)).toBeNull();
      await blocker.query('COMMIT');
    } finally {
      blocker.release();
    }
    await uses.close();
    expect(await lastUseOf(key.apiKeyId)).not.toBeNull();
    expect(failed).toHaveLength(1);
  });
});
