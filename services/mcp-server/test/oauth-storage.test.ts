import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits, newId } from '@mailproof/shared-types';
import { decodeJwt } from 'jose';
import { createAssistantStore } from '../src/adapters/postgres/assistant-store.ts';
import { createClientStore } from '../src/adapters/postgres/client-store.ts';
import { createRefreshTokenStore } from '../src/adapters/postgres/refresh-token-store.ts';
import { createSigningKeyStore } from '../src/adapters/postgres/signing-key-store.ts';
import { createSealedRecords } from '../src/adapters/redis/sealed-records.ts';
import { createSealers } from '../src/compose/operator.ts';
import { lifetimes } from '../src/domain/oauth/lifetimes.ts';
import { sweepOauth } from '../src/workers/sweep-oauth.ts';
import {
  authorizationPath,
  connect,
  exchange,
  newProof,
  postJson,
  refresh,
  register,
} from './oauth-steps.ts';
import { allow, signIn, TestBrowser } from './page-browser.ts';
import { person, redirectUri, startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers();
});
afterAll(() => servers?.stop());

const sealers = createSealers([{ kid: 'ring-2', key: new Uint8Array(32).fill(2) }]);
const after = (seconds: number) => new Date(Date.now() + seconds * 1_000);

/** Every text in Postgres and Redis, including keys. */
async function dump(): Promise<string> {
  const texts: string[] = [];
  for (const table of ['oauth_client', 'assistant', 'refresh_token', 'signing_key']) {
    const { rows } = await servers.pool.query(`SELECT t::text AS row FROM ${table} t`);
    texts.push(...rows.map(({ row }) => String(row)));
  }
  for (const key of await servers.redis.keys('*')) {
    const type = await servers.redis.type(key);
    const value =
      type === 'string' ? await servers.redis.get(key) : await servers.redis.zrange(key, '0', '-1');
    texts.push(key, JSON.stringify(value));
  }
  return texts.join('\n');
}

it('a dump shows no token, code, verifier, secret, cookie, password or private key', async () => {
  const registered = await postJson(servers, '/register', {
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'client_secret_post',
  });
  const { client_id, client_secret } = (await registered.json()) as Record<string, string>;
  const proof = newProof();
  const browser = new TestBrowser(servers);
  const open = await browser.open(authorizationPath(client_id ?? '', proof, { state: 'canary-state' }));
  const consent = await signIn(browser, open);
  const during = await dump();
  const cookies = [...browser.cookies.values()];
  const { sentTo } = await allow(browser, consent);
  const code = sentTo?.searchParams.get('code') ?? '';
  const withCode = await dump();
  const secret = { client_secret: client_secret ?? '' };
  const response = await exchange(servers, client_id ?? '', code, proof.verifier, secret);
  expect(response.status).toBe(200);
  const tokens = (await response.json()) as { access_token: string; refresh_token: string };
  const { refresh_token } = tokens;
  await refresh(servers, { clientId: client_id ?? '', refresh_token }, secret);
  const everything = [during, withCode, await dump()].join('\n');
  expect(everything).toContain('oauth:Interaction:');
  expect(everything).toContain('oauth:AuthorizationCode:');
  const secrets = [code, proof.verifier, proof.challenge, tokens.access_token, refresh_token, ...cookies];
  for (const text of [...secrets, client_secret, person.password, person.email, 'canary-state', '"d":']) {
    expect(String(text).length).toBeGreaterThan(3);
    expect(everything).not.toContain(text);
  }
});

describe('registering', () => {
  it('gives a secret to a client that asks for one, and authenticates none without it', async () => {
    const connection = { client_name: 'Server', token_endpoint_auth_method: 'client_secret_basic' };
    const response = await postJson(servers, '/register', { ...connection, redirect_uris: [redirectUri] });
    expect(response.status).toBe(201);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({
      client_name: 'Server',
      client_secret: expect.any(String),
      redirect_uris: [redirectUri],
    });
    expect(body).not.toHaveProperty('registration_access_token');
    const unproved = await exchange(servers, String(body['client_id']), 'code', 'verifier');
    expect(((await unproved.json()) as { error: string }).error).toBe('invalid_client');
  });

  it('refuses in the words of RFC 7591', async () => {
    const refused = await postJson(servers, '/register', { redirect_uris: ['http://example.com/'] });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'invalid_redirect_uri', error_description: expect.any(String) },
    ]);
    expect((await postJson(servers, '/register', '{')).status).toBe(400);
    expect((await postJson(servers, '/register', { client_name: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('answers the preflight of any website', async () => {
    const response = await servers.send('/register', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'content-type,mcp-protocol-version',
    ]);
  });
});

describe('the sweep', () => {
  const stores = () => ({
    assistants: createAssistantStore(servers.pool, () => new Date()),
    clients: createClientStore(servers.pool, sealers.client, {
      unusedMax: 10_000,
      onUnusedCounted: () => undefined,
    }),
    refreshTokens: createRefreshTokenStore(servers.pool, sealers.refreshToken, 60),
    signingKeys: createSigningKeyStore(servers.pool, sealers.signingKey),
  });
  const clientExists = async (clientId: string) =>
    (await servers.pool.query('SELECT 1 FROM oauth_client WHERE client_id = $1', [clientId])).rows.length ===
    1;

  it('deletes clients that were never connected, keeps connected ones, and ends unused ones', async () => {
    const unused = await register(servers);
    const { clientId } = await connect(servers);
    await sweepOauth({ ...stores(), now: () => after(lifetimes.unusedClientSeconds - 60) });
    expect([await clientExists(unused), await clientExists(clientId)]).toEqual([true, true]);
    await sweepOauth({ ...stores(), now: () => after(lifetimes.unusedClientSeconds + 60) });
    expect([await clientExists(unused), await clientExists(clientId)]).toEqual([false, true]);
    await sweepOauth({ ...stores(), now: () => after(lifetimes.refreshTokenSeconds + 3_600) });
    const { rows } = await servers.pool.query(
      'SELECT 1 FROM assistant UNION ALL SELECT 1 FROM refresh_token',
    );
    // Programs keep their client id, and would stop working without it.
    expect([await clientExists(clientId), rows]).toEqual([true, []]);
    const later = lifetimes.refreshTokenSeconds + lifetimes.formerClientSeconds;
    await sweepOauth({ ...stores(), now: () => after(later) });
    expect(await clientExists(clientId)).toBe(false);
  });

  it('ends an assistant whose code was never exchanged', async () => {
    const browser = new TestBrowser(servers);
    const clientId = await register(servers);
    await allow(browser, await signIn(browser, await browser.open(authorizationPath(clientId, newProof()))));
    await sweepOauth({ ...stores(), now: () => after(lifetimes.firstExchangeSeconds + 60) });
    const { rows } = await servers.pool.query('SELECT 1 FROM assistant WHERE client_id = $1', [clientId]);
    expect(rows).toEqual([]);
  });
});

describe('the assistants of a user', () => {
  const user = { accountId: newId('account'), userId: newId('user') };
  const consentFor = (n: number) => ({
    user,
    clientId: `client-${n}`,
    clientName: 'Client',
    redirectHost: 'host.example',
    scopes: ['account.read'] as const,
    deviceSha256: undefined,
    userAgent: '',
  });

  it('are so many at most: the one used longest ago gives way', async () => {
    let now = new Date();
    const store = createAssistantStore(servers.pool, () => now);
    const ids = [];
    for (let n = 0; n < limits.assistantsPerUserMax; n += 1) {
      now = new Date(now.getTime() + 1_000);
      const assistantId = newId('assistant');
      await store.connect(consentFor(n), assistantId, now);
      ids.push(assistantId);
    }
    now = new Date(now.getTime() + 60_000);
    const [first, second] = ids;
    await store.noteUse({ assistantId: first ?? newId('assistant'), lastUsedAt: undefined });
    await store.connect(consentFor(1_000), newId('assistant'), now);
    expect(await store.find({ assistantId: second ?? newId('assistant') })).toBeUndefined();
    expect(await store.find({ assistantId: first ?? newId('assistant') })).toMatchObject({
      ...user,
      scopes: ['account.read'],
    });
    const { rows } = await servers.pool.query('SELECT 1 FROM assistant WHERE user_id = $1', [user.userId]);
    expect(rows).toHaveLength(limits.assistantsPerUserMax);
  });

  it('note their use to the minute', async () => {
    const { access_token } = await connect(servers);
    const assistantId = decodeJwt(access_token)['assistant_id'] as never;
    let now = new Date('2026-01-01T00:00:59Z');
    const store = createAssistantStore(servers.pool, () => now);
    const lastUsedAt = async () => (await store.find({ assistantId }))?.lastUsedAt;
    expect(await lastUsedAt()).toBeUndefined();
    await store.noteUse({ assistantId, lastUsedAt: undefined });
    expect(await lastUsedAt()).toEqual(new Date('2026-01-01T00:00:00Z'));
    now = new Date('2026-01-01T00:01:00Z');
    await store.noteUse({ assistantId, lastUsedAt: await lastUsedAt() });
    expect(await lastUsedAt()).toEqual(now);
  });
});

it('a refresh token is replaced by one of many simultaneous uses, and belongs to an existing assistant', async () => {
  const { access_token } = await connect(servers);
  const store = createRefreshTokenStore(servers.pool, sealers.refreshToken, 60);
  const assistantId = String(decodeJwt(access_token)['assistant_id']);
  const newToken = (token: string) => ({ token, assistantId, payload: { jti: token }, expiresAt: after(60) });
  expect(await store.save(newToken('a token'))).toBe(true);
  const clock = { arrivedAt: new Date(), now: () => new Date() };
  const candidates = Array.from({ length: 8 }, (_, n) => `candidate ${n}`);
  const uses = await Promise.all(candidates.map(token => store.replace('a token', newToken(token), clock)));
  const successor = candidates[uses.findIndex(({ kind }) => kind === 'replaced')];
  expect(uses.filter(({ kind }) => kind === 'replaced')).toHaveLength(1);
  expect(uses.filter(({ kind }) => kind !== 'replaced')).toEqual(
    Array.from({ length: 7 }, () => ({ kind: 'repeated', token: successor })),
  );
  // This request arrived before the successor was itself replaced, so it gets the newest token.
  const late = { arrivedAt: clock.arrivedAt, now: () => after(2) };
  await servers.pool.query('UPDATE refresh_token SET given_again_at = NULL');
  expect(
    await store.replace(String(successor), newToken('the newest'), {
      arrivedAt: after(1),
      now: () => after(1),
    }),
  ).toEqual({
    kind: 'replaced',
  });
  expect(await store.replace('a token', newToken('too many'), late)).toEqual({
    kind: 'repeated',
    token: 'the newest',
  });
  expect(
    await store.replace('a token', newToken('too late'), { arrivedAt: after(1), now: () => after(2) }),
  ).toEqual({
    kind: 'replayed',
  });
  const ofAnother = { ...newToken('another'), assistantId: newId('assistant') };
  expect(await store.save(ofAnother)).toBe(false);
  expect(await store.replace('a token', ofAnother, clock)).toEqual({ kind: 'gone' });
});

it('a short-lived record is used up by exactly one of many simultaneous calls, and never once it is gone', async () => {
  const records = createSealedRecords(servers.redis, sealers.record, 'test_record');
  await records.save('used', { answer: 42 }, 60);
  expect(await records.find('used')).toEqual({ payload: { answer: 42 }, isConsumed: false });
  const uses = await Promise.all(Array.from({ length: 20 }, () => records.consume('used')));
  expect(uses.filter(Boolean)).toHaveLength(1);
  expect(await records.consume('used')).toBe(false);
  expect(await records.find('used')).toEqual({ payload: { answer: 42 }, isConsumed: true });
  await records.remove('used');
  expect(await records.find('used')).toBeUndefined();
  expect(await records.consume('used')).toBe(false);
  expect(await records.consume('never saved')).toBe(false);
});
