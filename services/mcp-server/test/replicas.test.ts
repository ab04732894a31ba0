import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { Browser, signIn } from '@mailproof/dev-house/sign-in-browser';
import { Redis } from 'ioredis';
import { decodeProtectedHeader } from 'jose';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { type LoopbackProxy, startLoopbackProxy } from './loopback-proxy.ts';
import {
  type Answer,
  authorizationUrl,
  callTool,
  connect,
  newProof,
  redeem,
  refresh,
  register,
  revoke,
  serverMetadata,
  structuredContent,
} from './oauth-client.ts';

/*
 * Two tool servers behind one address. `balancer` alternates between them; each of the `doors` leads to only one, under
 * the same public name.
 */

let house: ToolHouse;
let customer: Customer;
let balancer: LoopbackProxy;
let doors: readonly [LoopbackProxy, LoopbackProxy];
let urls: readonly string[] = [];

beforeAll(async () => {
  let turn = 0;
  balancer = await startLoopbackProxy(() => ({ url: urls[turn++ % urls.length] ?? '' }));
  const { host } = new URL(balancer.url);
  const door = (number: number) => startLoopbackProxy(() => ({ url: urls[number] ?? '', headers: { host } }));
  doors = [await door(0), await door(1)];
  house = await openToolHouse({
    killable: ['mcp-server'],
    only: ['gateway', 'credit-ledger', 'validation-engine', 'mcp-server'],
    replicas: { 'mcp-server': 2 },
    env: { 'mcp-server': { MCP_PUBLIC_BASE_URL: balancer.url } },
    publicUrl: balancer.url,
  });
  urls = house.house.toolServerUrls;
  customer = await house.customer();
});

afterAll(async () => {
  await house?.stop();
  await Promise.all([balancer, ...(doors ?? [])].map(proxy => proxy?.close()));
});

const statusOf = (answer: Answer): unknown => structuredContent(answer)['status'];

describe('two tool servers', () => {
  it('share a sign-in, regardless of which replica serves each page', async () => {
    // The balancer alternates, so that no two consecutive steps reach the same server.
    const connection = await connect(house, customer);
    for (const door of doors) expect(statusOf(await callTool(door.url, connection.accessToken))).toBe(200);
  });

  it('redeem a code at most once when both receive it, and then revoke its tokens', async () => {
    for (let round = 0; round < 3; round += 1) {
      const client = await register(house.url);
      const proof = newProof();
      const address = await authorizationUrl(house.url, client, proof);
      const { redirect } = await signIn(house.browser(), address, customer);
      const code = String(redirect.searchParams.get('code'));
      await expectOneWinnerAtMost(
        await Promise.all(doors.map(({ url }) => redeem(url, client, code, proof.verifier))),
      );
    }
  });

  /** A token that is used twice was copied: even its first use is void (RFC 9700 section 4.14.2). */
  async function expectOneWinnerAtMost(answers: readonly Answer[]): Promise<void> {
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { status, body } of answers.filter(answer => answer.status !== 200)) {
      expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' });
    }
    for (const { body } of won) {
      for (const { url } of doors) {
        expect((await callTool(url, String(body['access_token']))).status).toBe(401);
      }
    }
  }

  it('give one successor for simultaneous uses of a refresh token, and tokens that work at both', async () => {
    for (let round = 0; round < 3; round += 1) {
      const connection = await connect(house, customer);
      const answers = await Promise.all(
        doors.map(({ url }) => refresh(url, connection, connection.refreshToken)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(new Set(answers.map(({ body }) => body['refresh_token'])).size).toBe(1);
      for (const { body } of answers) {
        for (const { url } of doors) {
          expect(statusOf(await callTool(url, String(body['access_token'])))).toBe(200);
        }
      }
    }
  });

  it('refuse at once what was revoked at the other', async () => {
    const connection = await connect(house, customer);
    expect(statusOf(await callTool(doors[1].url, connection.accessToken))).toBe(200);
    expect(await revoke(doors[0].url, connection, connection.refreshToken)).toBe(200);
    expect((await callTool(doors[1].url, connection.accessToken)).status).toBe(401);
    expect(await refresh(doors[1].url, connection, connection.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('keep connected assistants when Redis forgets everything', async () => {
    const connection = await connect(house, customer);
    const redis = new Redis(house.house.redisUrl);
    await redis.flushdb();
    redis.disconnect();
    expect(statusOf(await callTool(doors[0].url, connection.accessToken))).toBe(200);
    const refreshed = await refresh(doors[1].url, connection, connection.refreshToken);
    expect(refreshed.status).toBe(200);
    expect(statusOf(await callTool(doors[0].url, String(refreshed.body['access_token'])))).toBe(200);
    await connect(house, customer);
  });

  it('continue when one is killed in the middle of a sign-in', async () => {
    const client = await register(house.url);
    const proof = newProof();
    const browser = new Browser([balancer.url]);
    const address = await authorizationUrl(house.url, client, proof);
    await browser.open(address);
    const connection = await connect(house, customer);
    await house.house.services['mcp-server']?.kill('SIGKILL');
    urls = urls.slice(1);
    try {
      const { redirect } = await signIn(browser, address, customer);
      const code = String(redirect.searchParams.get('code'));
      expect((await redeem(house.url, client, code, proof.verifier)).status).toBe(200);
      expect(statusOf(await callTool(house.url, connection.accessToken))).toBe(200);
      expect((await refresh(house.url, connection, connection.refreshToken)).status).toBe(200);
    } finally {
      await house.house.services['mcp-server']?.restart();
      urls = house.house.toolServerUrls;
    }
    expect(statusOf(await callTool(doors[0].url, connection.accessToken))).toBe(200);
  });

  it('both publish a new signing key before it signs', async () => {
    const before = await publishedKids(doors[0].url);
    await house.operate('signing-keys', 'rotate');
    for (const { url } of doors) {
      const after = await untilPublished(url, kids => kids.length > before.length);
      expect(after).toEqual(expect.arrayContaining(before));
    }
  });

  it('both refuse the tokens of a key that was retired, and sign with another', async () => {
    const connection = await connect(house, customer);
    const { kid = '' } = decodeProtectedHeader(connection.accessToken);
    await house.operate('signing-keys', 'retire', kid);
    for (const { url } of doors) {
      await untilPublished(url, kids => !kids.includes(kid));
      await waitFor(
        'The token is refused',
        async () => (await callTool(url, connection.accessToken)).status === 401,
        {
          deadlineMs: 60_000,
        },
      );
    }
    const refreshed = await refresh(doors[1].url, connection, connection.refreshToken);
    expect(refreshed.status).toBe(200);
    const accessToken = String(refreshed.body['access_token']);
    expect(decodeProtectedHeader(accessToken).kid).not.toBe(kid);
    for (const { url } of doors) expect(statusOf(await callTool(url, accessToken))).toBe(200);
  });
});

async function publishedKids(url: string): Promise<string[]> {
  const { jwks_uri } = await serverMetadata(url);
  const response = await fetch(`${url}${new URL(jwks_uri).pathname}`);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid).sort();
}

function untilPublished(url: string, isRight: (kids: readonly string[]) => boolean): Promise<string[]> {
  const look = async () => {
    const kids = await publishedKids(url);
    return isRight(kids) ? kids : undefined;
  };
  return waitFor('The keys are published', look, { deadlineMs: 60_000, everyMs: 200 });
}
