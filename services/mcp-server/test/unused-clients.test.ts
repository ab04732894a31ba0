import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClientStore } from '../src/adapters/postgres/client-store.ts';
import { createSealers } from '../src/compose/operator.ts';
import { lifetimes } from '../src/domain/oauth/lifetimes.ts';
import {
  authorizationPath,
  connect,
  exchange,
  newProof,
  refresh,
  register,
  type Tokens,
} from './oauth-steps.ts';
import { allow, signIn, TestBrowser } from './page-browser.ts';
import { redirectUri, startToolServers, type ToolServers } from './tool-server.ts';

/** `MAILPROOF_REGISTRATIONS=100000` makes it a flood of many minutes, with the default ceiling. */
const registrations = Number(process.env['MAILPROOF_REGISTRATIONS'] ?? 1_000);
const ceiling = registrations / 10;
const addresses = registrations / 10;
const atOnce = 16;

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers({
    replicas: 2,
    env: {
      OAUTH_UNUSED_CLIENTS_MAX: String(ceiling),
      OAUTH_REGISTRATIONS_PER_HOUR_MAX: '300',
      OAUTH_REQUESTS_PER_MINUTE_MAX: '300',
    },
  });
});
afterAll(() => servers?.stop());

/** The `n`th address of the flood. */
const addressOf = (n: number) => `198.18.${Math.floor((n % addresses) / 256)}.${(n % addresses) % 256}`;

/** Registers from one of many addresses, with the largest allowed registration. */
async function registerFrom(n: number): Promise<string> {
  const long = `https://flood.example/${'x'.repeat(1_900)}${n}`;
  const response = await servers.send(
    '/register',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': addressOf(n) },
      body: JSON.stringify({ client_name: 'x'.repeat(80), redirect_uris: [long, redirectUri].slice(n % 2) }),
    },
    n % 2,
  );
  expect(response.status).toBe(201);
  return ((await response.json()) as { client_id: string }).client_id;
}

/** Repeats an action, with some in parallel. */
async function manyTimes(times: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < times) await act(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function countUnused(): Promise<number> {
  const { rows } = await servers.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM oauth_client WHERE connected_at IS NULL',
  );
  return rows[0]?.count ?? 0;
}

/** Finishes a sign-in whose page is open, and fetches the tokens. */
async function finish(
  browser: TestBrowser,
  page: Awaited<ReturnType<TestBrowser['open']>>,
  clientId: string,
  verifier: string,
): Promise<Tokens> {
  const { sentTo, text } = await allow(browser, await signIn(browser, page));
  const code = sentTo?.searchParams.get('code');
  if (!code) throw new Error(`There is no code: ${text}`);
  const response = await exchange(servers, clientId, code, verifier);
  expect(response.status).toBe(200);
  return (await response.json()) as Tokens;
}

describe('a flood of registrations', () => {
  it(
    'stays below the ceiling and removes no client that is connected, signing in or registering at the time',
    async () => {
      const connected = await connect(servers);
      const slow = {
        clientId: await register(servers),
        proof: newProof(),
        browser: new TestBrowser(servers),
      };
      const page = await slow.browser.open(authorizationPath(slow.clientId, slow.proof));
      const honest: string[] = [];
      const counts: number[] = [];
      await manyTimes(registrations, async n => {
        await registerFrom(n);
        if (n % (registrations / 20) === 0) {
          counts.push(await countUnused());
          honest.push((await connect(servers)).clientId);
        }
      });
      counts.push(await countUnused());
      // Registrations in progress during a count are added to the ceiling.
      expect(Math.max(...counts)).toBeLessThanOrEqual(ceiling + atOnce);
      expect(counts.at(-1)).toBeGreaterThan(ceiling * 0.9);
      const { rows: kept } = await servers.pool.query(
        'SELECT 1 FROM oauth_client WHERE client_id = ANY($1)',
        [[connected.clientId, ...honest]],
      );
      expect([honest.length, kept.length]).toEqual([20, 21]);
      await finish(slow.browser, page, slow.clientId, slow.proof.verifier);
      expect((await refresh(servers, connected)).status).toBe(200);
      await connect(servers);
      if (process.env['MAILPROOF_REGISTRATIONS'] !== undefined) {
        const { rows } = await servers.pool.query(
          "SELECT pg_size_pretty(pg_total_relation_size('oauth_client')) AS size, count(*) FROM oauth_client",
        );
        process.stderr.write(`${JSON.stringify({ ...rows[0], counts })}\n`);
      }
    },
    Math.max(60_000, registrations * 30),
  );

  it('that opens the sign-in pages too keeps no client out', async () => {
    await manyTimes(ceiling * 1.5, async n => {
      const clientId = await registerFrom(n * 2 + 1);
      await servers.send(authorizationPath(clientId, newProof()), {
        headers: { 'x-forwarded-for': addressOf(n) },
      });
    });
    expect(await countUnused()).toBeLessThanOrEqual(ceiling + atOnce);
    await connect(servers);
  }, 600_000);

  it('is reported: how many unused clients there are, how many were deleted, and why', async () => {
    const counts: { unused: number; expired: number; ceiling: number }[] = [];
    const sealer = createSealers([{ kid: 'ring-2', key: new Uint8Array(32).fill(2) }]).client;
    const store = createClientStore(servers.pool, sealer, {
      unusedMax: 50,
      onUnusedCounted: (unused, { expired, ceiling: tooMany }) =>
        counts.push({ unused, expired, ceiling: tooMany }),
    });
    const before = await countUnused();
    await store.sweep(new Date());
    expect(counts).toEqual([{ unused: 48, expired: 0, ceiling: before - 48 }]);
    await store.sweep(new Date(Date.now() + (lifetimes.unusedClientSeconds + 60) * 1_000));
    expect(counts[1]).toEqual({ unused: 0, expired: 48, ceiling: 0 });
  });
});

it('a client that registered long ago is not deleted during a sign-in', async () => {
  const clientId = await register(servers);
  await servers.pool.query(
    "UPDATE oauth_client SET registered_at = now() - interval '25 hours' WHERE client_id = $1",
    [clientId],
  );
  const [browser, proof] = [new TestBrowser(servers), newProof()];
  const page = await browser.open(authorizationPath(clientId, proof));
  const sealer = createSealers([{ kid: 'ring-2', key: new Uint8Array(32).fill(2) }]).client;
  const store = createClientStore(servers.pool, sealer, {
    unusedMax: 10_000,
    onUnusedCounted: () => undefined,
  });
  await store.sweep(new Date());
  await finish(browser, page, clientId, proof.verifier);
});

it('a deleted client gets the error that makes clients register again', async () => {
  const clientId = await register(servers);
  await servers.pool.query('DELETE FROM oauth_client WHERE client_id = $1', [clientId]);
  const exchanged = await exchange(servers, clientId, 'code', 'verifier');
  expect([exchanged.status, ((await exchanged.json()) as { error: string }).error]).toEqual([
    401,
    'invalid_client',
  ]);
  const page = await new TestBrowser(servers).open(authorizationPath(clientId, newProof()));
  expect(page.status).toBe(400);
  expect(page.text).toContain('Remove Mailproof from your assistant and add it again.');
  expect(page.text).toContain('invalid_client');
});
