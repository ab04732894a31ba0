import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { assistantRefusals } from '@mailproof/shared-types';
import { CookieJar } from 'tough-cookie';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, emptyUsage, refresh, structuredContent } from './oauth-client.ts';

let house: ToolHouse;

beforeAll(async () => {
  house = await openToolHouse({
    only: ['gateway', 'credit-ledger', 'validation-engine', 'mcp-server'],
    replicas: { gateway: 2 },
  });
});

afterAll(() => house?.stop());

function askRest({ apiKey }: Customer): Promise<Response> {
  // Asks a gateway other than the tool server's: they share their counts.
  return fetch(`${house.house.gatewayUrls.at(-1)}/api/v1/me`, { headers: { 'x-api-key': apiKey } });
}

/** Returns the account's credits as soon as the rate limit allows the request. */
function creditsOf(customer: Customer): Promise<{ credits: number }> {
  const ask = async () => {
    const response = await askRest(customer);
    return response.status === 200 ? ((await response.json()) as { credits: number }) : undefined;
  };
  return waitFor('The account may ask for its credits', ask, { deadlineMs: 60_000 });
}

const limit = 10;

describe('ten requests in any second', () => {
  it('are accepted over the REST API and the tools together, and the eleventh is refused', async () => {
    const { through, refused, windows } = await askAtOnce();
    // On a fast machine this takes one second, with ten requests; on a slow one, each second allows ten.
    expect(through).toBeGreaterThanOrEqual(limit);
    expect(through).toBeLessThanOrEqual(limit * windows);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(answer).toMatchObject({ status: 200, body: { result: { isError: true } } });
      expect(structuredContent(answer)).toEqual({
        ok: false,
        status: 429,
        data: { error: expect.any(String) },
        usage: emptyUsage,
      });
    }
  });

  /** Sends many requests at once, and returns how many seconds had started by the last response. */
  async function askAtOnce() {
    const customer = await house.customer({ requestsPerSecond: limit });
    const { accessToken } = await connect(house, customer);
    // The first request opens connections and fills caches; this account's requests have not been counted yet.
    const startedAtMs = performance.now();
    const rest = Array.from({ length: 10 }, async () => (await askRest(customer)).status);
    const tools = Array.from({ length: 40 }, () => callTool(house.url, accessToken));
    const [statuses, answers] = await Promise.all([Promise.all(rest), Promise.all(tools)]);
    const windows = 1 + Math.floor((performance.now() - startedAtMs) / 1_000);
    const refused = answers.filter(answer => structuredContent(answer)['status'] === 429);
    const through = statuses.filter(status => status === 200).length + answers.length - refused.length;
    return { through, refused, windows };
  }

  it('cost one credit for each validation that is answered, and none for those that are refused', async () => {
    const customer = await house.customer({ credits: 100, requestsPerSecond: limit });
    const { accessToken } = await connect(house, customer);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, number) =>
        callTool(house.url, accessToken, 'svc_validate_email', { email: `person${number}@ordinary.example` }),
      ),
    );
    const results = answers.map(structuredContent) as { ok: boolean; status: number; usage: unknown }[];
    const answered = results.filter(({ ok }) => ok);
    expect(answered.length).toBeGreaterThanOrEqual(limit);
    for (const { usage } of answered) expect(usage).toMatchObject({ creditsConsumed: 1 });
    for (const { ok, status, usage } of results) {
      if (!ok) expect({ status, usage }).toEqual({ status: 429, usage: emptyUsage });
    }
    // A charge is recorded after the response.
    await waitFor(
      'The credits of the answered calls are spent',
      async () => (await creditsOf(customer)).credits === 100 - answered.length,
      { deadlineMs: 60_000, everyMs: 200 },
    );
  });
});

describe('an assistant of an account whose API key is replaced or revoked', () => {
  it('keeps working with the next key, and is refused from its next call on while there is none', async () => {
    const customer = await house.customer();
    const { accessToken } = await connect(house, customer);
    const call = async () => structuredContent(await callTool(house.url, accessToken));
    expect(await call()).toMatchObject({ ok: true });
    await house.operate('key', 'regenerate', customer.accountId);
    expect((await askRest(customer)).status).toBe(401);
    expect(await call()).toMatchObject({ ok: true });

    const shown = await house.operate('account', 'show', customer.accountId, '--json');
    const { key } = JSON.parse(shown) as { key: { apiKeyId: string } };
    await house.operate('key', 'revoke', key.apiKeyId);
    expect(await call()).toEqual({
      ok: false,
      status: 401,
      data: { error: assistantRefusals.no_ready_api_key },
      usage: emptyUsage,
    });
    await house.operate('key', 'regenerate', customer.accountId);
    expect(await call()).toMatchObject({ ok: true });
  });
});

describe('an assistant that is disconnected in the application', () => {
  /** A browser that is signed in to the application. */
  async function openApplication({ email, password }: Customer) {
    const base = `${house.house.gatewayUrls[0]}/app/v1`;
    const jar = new CookieJar();
    const send = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(base + path, {
        method,
        headers: { cookie: await jar.getCookieString(base), 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) await jar.setCookie(line, base);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    expect((await send('POST', '/session', { email, password })).status).toBe(200);
    return send;
  }

  it('is refused at its next request, and can be connected again', async () => {
    const customer = await house.customer();
    const connection = await connect(house, customer);
    expect(structuredContent(await callTool(house.url, connection.accessToken))).toMatchObject({ ok: true });
    const send = await openApplication(customer);
    const { body } = await send('GET', '/assistants');
    const [listed, ...others] = body['assistants'] as Record<string, unknown>[];
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ client_name: 'Test assistant', redirect_host: '127.0.0.1' });

    const ended = await send('DELETE', `/assistants/${String(listed?.['assistant_id'])}`);
    expect(ended.status).toBe(200);
    const refused = await callTool(house.url, connection.accessToken);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(await refresh(house.url, connection, connection.refreshToken)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });

    const again = await connect(house, customer, { client: connection });
    expect(structuredContent(await callTool(house.url, again.accessToken))).toMatchObject({ ok: true });
  });
});
