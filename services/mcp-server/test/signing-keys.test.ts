import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { createSigningKeyStore } from '../src/adapters/postgres/signing-key-store.ts';
import { createSealers } from '../src/compose/operator.ts';
import { lifetimes } from '../src/domain/oauth/lifetimes.ts';
import { runCommand } from '../src/ops/program.ts';
import { sweepOauth } from '../src/workers/sweep-oauth.ts';
import { connect, refresh, type Tokens } from './oauth-steps.ts';
import { startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;
/** The clock of the tool servers; the times in their tokens come from the machine's clock. */
let ahead = 0;
const now = () => new Date(Date.now() + ahead);

beforeAll(async () => {
  servers = await startToolServers({ replicas: 2, overrides: { now } });
});
afterAll(() => servers?.stop());

const ring = (fill: number) => ({ kid: `ring-${fill}`, key: new Uint8Array(32).fill(fill) });

async function publishedKids(replica: number): Promise<string[]> {
  const response = await servers.send('/jwks', {}, replica);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
}

async function run(
  args: readonly string[],
  environment = servers.environment,
): Promise<Record<string, unknown>> {
  const written: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (text: unknown) => written.push(String(text)) > 0;
  try {
    expect(await runCommand([...args, '--json'], environment)).toBe(0);
  } finally {
    process.stdout.write = write;
  }
  return JSON.parse(written.join(''));
}

const none = { sweep: async () => 0 };

describe('signing keys', () => {
  it('are one when two replicas start at once', async () => {
    const [one, other] = [await publishedKids(0), await publishedKids(1)];
    expect(one).toHaveLength(1);
    expect(other).toEqual(one);
    const store = createSigningKeyStore(servers.pool, createSealers([ring(2)]).signingKey);
    expect(await Promise.all([1, 2, 3].map(() => store.makeFirst(now())))).toEqual([false, false, false]);
  });

  it('rotate by command: published at once, signing minutes later at every replica, swept when their tokens are over', async () => {
    const connection = await connect(servers);
    const first = decodeProtectedHeader(connection.access_token).kid;
    const { kid } = await run(['signing-keys', 'rotate']);
    ahead += 3_000;
    expect(new Set(await publishedKids(0))).toEqual(new Set([first, kid]));
    const before = (await (await refresh(servers, connection, {}, 1)).json()) as Tokens;
    expect(decodeProtectedHeader(before.access_token).kid).toBe(first);
    ahead += lifetimes.signingKeyAheadSeconds * 1_000;
    let current = { ...connection, ...before };
    for (const replica of [0, 1]) {
      current = { ...current, ...((await (await refresh(servers, current, {}, replica)).json()) as Tokens) };
      expect(decodeProtectedHeader(current.access_token).kid).toBe(kid);
    }
    expect(await publishedKids(1)).toContain(first);
    const signingKeys = createSigningKeyStore(servers.pool, createSealers([ring(2)]).signingKey);
    ahead += 1_000 * 1_000;
    await sweepOauth({ assistants: none, refreshTokens: none, clients: none, signingKeys, now });
    ahead += 3_000;
    expect([await publishedKids(0), await publishedKids(1)]).toEqual([[kid], [kid]]);
  });

  it('are retired by command: another signs at once', async () => {
    const connection = await connect(servers);
    const { kid } = decodeProtectedHeader(connection.access_token);
    // The command uses the machine's clock, according to which the key does not sign yet.
    const retired = await run(['signing-keys', 'retire', String(kid)]);
    expect(retired).toMatchObject({ kid, retired: true, made: expect.any(String) });
    ahead += 3_000;
    const { access_token } = (await (await refresh(servers, connection)).json()) as Tokens;
    expect(decodeProtectedHeader(access_token).kid).toBe(retired['made']);
    expect(await publishedKids(0)).toEqual([retired['made']]);
    expect(await runCommand(['signing-keys', 'retire', 'unknown'], servers.environment)).toBe(1);
    expect(await run(['signing-keys', 'list'])).toMatchObject([{ kid: retired['made'], state: 'signs' }]);
  });

  it('and everything else are sealed again by command, so that an earlier key can leave the ring', async () => {
    const connection = await connect(servers);
    const base64 = (fill: number) => `ring-${fill}:${Buffer.alloc(32, fill).toString('base64')}`;
    const environment = { ...servers.environment, OAUTH_ENCRYPTION_KEYS: `${base64(3)},${base64(2)}` };
    const { resealed, failed, kid } = await run(['signing-keys', 'reseal'], environment);
    expect([failed, kid]).toEqual([0, 'ring-3']);
    expect(resealed).toBeGreaterThanOrEqual(3);
    expect(await run(['signing-keys', 'reseal'], environment)).toMatchObject({ resealed: 0, failed: 0 });
    const { signingKey } = createSealers([ring(3)]);
    const store = createSigningKeyStore(servers.pool, signingKey);
    const [key] = await store.list();
    expect(await store.privateJwk(key?.kid ?? '')).toMatchObject({ kid: key?.kid, d: expect.any(String) });
    const { rows } = await servers.pool.query(
      `SELECT sealed_metadata AS sealed FROM oauth_client UNION ALL SELECT sealed_token FROM refresh_token`,
    );
    expect(rows.map(({ sealed }) => decodeProtectedHeader(sealed).kid)).not.toContain('ring-2');
    expect(connection.clientId).toEqual(expect.any(String));
  });
});
