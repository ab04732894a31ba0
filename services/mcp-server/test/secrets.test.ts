import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, lastPage } from '@mailproof/dev-house/sign-in-browser';
import { Redis } from 'ioredis';
import { dumpEverything, findLeaks, type Trace, withAdministrator } from './dump.ts';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import {
  authorizationUrl,
  callTool,
  newProof,
  redeem,
  refresh,
  register,
  revoke,
  structuredContent,
} from './oauth-client.ts';

let house: ToolHouse;
let customer: Customer;

beforeAll(async () => {
  const talkative = { LOG_LEVEL: 'trace' };
  house = await openToolHouse({
    inOneProcess: false,
    only: ['gateway', 'credit-ledger', 'validation-engine', 'mcp-server'],
    env: { 'mcp-server': talkative, gateway: talkative, 'credit-ledger': talkative },
  });
  customer = await house.customer();
});

afterAll(() => house?.stop());

const canary = 'canary-that-nobody-may-write-down';

describe('what is stored and logged', () => {
  it('holds no key, token, code, verifier, password or cookie in the open, at any moment of a session', async () => {
    const secrets = new Map([
      ['the API key', customer.apiKey],
      ['the password', customer.password],
    ]);
    const traces: Trace[] = [];
    const dump = async () => traces.push(...(await dumpEverything(house)));

    const client = await register(house.url);
    const proof = newProof();
    secrets.set('the verifier', proof.verifier);
    const browser = house.browser();
    const address = await authorizationUrl(house.url, client, proof);
    const page = lastPage(await browser.open(address));
    await keepCookies(browser, secrets);
    const { email, password } = customer;
    const consent = lastPage(await browser.submit(page, { email, password }, /sign in/i));
    await keepCookies(browser, secrets);
    await dump();
    const { sentTo: redirect } = await browser.submit(consent, {}, /allow/i);
    await keepCookies(browser, secrets);
    if (!redirect) throw new Error('The browser was not sent back.');
    const code = String(redirect.searchParams.get('code'));
    secrets.set('the code', code);
    await dump();

    const first = await redeem(house.url, client, code, proof.verifier);
    const { access_token: token, refresh_token: refreshToken } = first.body as Record<string, string>;
    secrets.set('the access token', String(token)).set('the refresh token', String(refreshToken));
    expect(structuredContent(await callTool(house.url, token))).toMatchObject({ ok: true });
    const validate = { email: 'ada@ordinary.example' };
    expect(structuredContent(await callTool(house.url, token, 'svc_validate_email', validate))).toMatchObject(
      {
        ok: true,
      },
    );
    await dump();

    const second = await refresh(house.url, client, String(refreshToken));
    secrets.set('the second access token', String(second.body['access_token']));
    secrets.set('the second refresh token', String(second.body['refresh_token']));
    await callTool(house.url, String(second.body['access_token']));
    // Refused requests leave other traces.
    await callTool(house.url, undefined, undefined, undefined, { 'x-api-key': customer.apiKey });
    await fetch(`${house.resource}?access_token=${second.body['access_token']}`, { method: 'POST' });
    await redeem(house.url, client, code, proof.verifier);
    await dump();
    expect(await revoke(house.url, client, String(second.body['refresh_token']))).toBe(200);
    await dump();

    expect(secrets.size).toBeGreaterThanOrEqual(11);
    expect(new Set(traces.map(({ where }) => where.split(' ')[0]))).toEqual(
      new Set(['Postgres', 'Redis', 'the']),
    );
    expect(findLeaks(traces, secrets)).toEqual([]);
  });

  it('is searched everywhere: a planted secret is found', async () => {
    const redis = new Redis(house.house.redisUrl);
    await redis.hset('planted', 'field', Buffer.from(`a${canary}`).toString('base64'));
    redis.disconnect();
    await withAdministrator(house, async client => {
      await client.query('CREATE TABLE mcp.planted (octets bytea)');
      await client.query('INSERT INTO mcp.planted VALUES ($1)', [Buffer.from(`ab${canary}c`)]);
    });
    await appendFile(String(house.house.services['mcp-server']?.logFile), `{"token":"${canary}"}\n`);
    const leaks = findLeaks(await dumpEverything(house), new Map([['the canary', canary]]));
    expect(leaks.sort()).toEqual([
      'the canary in Postgres mcp.planted',
      'the canary in Redis planted',
      'the canary in the log of mcp-server',
    ]);
  });
});

/** All cookies, of any path: for the session, for the pending sign-in, and for the signed-in browser. */
async function keepCookies(browser: Browser, secrets: Map<string, string>): Promise<void> {
  for (const { key = '', value = '' } of (await browser.cookies.serialize())?.cookies ?? []) {
    // A signature is not a secret; it is stored next to the cookie that it signs.
    if (value !== '' && !key.endsWith('.sig')) secrets.set(`the cookie ${key} ${secrets.size}`, value);
  }
}
