import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAddressGuard, createOutside } from '@mailproof/service-kit';
import { createHubSpotOAuth } from '../src/adapters/hubspot/hubspot-oauth.ts';
import { createGuardedFetch } from '../src/adapters/oauth/guarded-fetch.ts';
import { createSalesforceOAuth } from '../src/adapters/salesforce/salesforce-oauth.ts';
import { OAuthFault } from '../src/domain/crm/connections/crm-oauth.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** The answers of the provider, by path, as a test sets them. */
let answers: Record<string, Answer>;
let asked: { path: string; body: string; headers: IncomingMessage['headers'] }[];
let server: Server;
let baseUrl: string;
const fixed = new Date('2026-11-02T09:30:00.000Z');
const ranges = ['127.0.0.1/32'];
const ways = {
  https: createOutside({ guard: createAddressGuard(ranges), allowsHttp: false }),
  http: createOutside({ guard: createAddressGuard(ranges, { admitsPublic: false }), allowsHttp: true }),
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    asked.push({ path, body: Buffer.concat(chunks).toString(), headers: request.headers });
    const { status = 200, headers = {}, body } = answers[path] ?? { status: 404, body: 'nothing here' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/html' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await Promise.all([ways.https.close(), ways.http.close()]);
  server?.closeAllConnections();
  server?.close();
});

beforeEach(() => {
  asked = [];
  answers = {};
});

const app = {
  clientId: 'app',
  clientSecret: 'canary-secret',
  redirectUri: 'http://127.0.0.1:9/crm/callback',
};
const fetch = createGuardedFetch(ways, 'Mailproof/1.0');
const salesforce = () => createSalesforceOAuth({ ...app, loginUrl: baseUrl }, fetch, () => fixed);
const hubspot = () =>
  createHubSpotOAuth({ ...app, appBaseUrl: baseUrl, apiBaseUrl: baseUrl }, fetch, () => fixed);
const signal = () => AbortSignal.timeout(20_000);

const tokens = { token_type: 'Bearer', access_token: 'canary-access', refresh_token: 'canary-refresh' };
const organisation = '00D000000000001AAA';
const identity = { id: `https://login.example/id/${organisation}/005000000000001AAA` };
const salesforceToken = '/services/oauth2/token';
const namePath = `/services/data/v60.0/sobjects/Organization/${organisation}`;

async function faultOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    expect(error).toBeInstanceOf(OAuthFault);
    const fault = error as OAuthFault;
    expect(JSON.stringify([fault.message, fault.stack, fault.cause, fault])).not.toContain('canary');
    return [fault.kind, fault.error];
  }
}

describe('an authorization server that is not as it should be', () => {
  it.each([
    ['another scheme', 'ftp://files.example', ['away', 'organisation_not_told']],
    ['no address', 'instance', ['away', 'organisation_not_told']],
    ['credentials', 'http://a:b@127.0.0.1', ['away', 'organisation_not_told']],
    ['an address of the cloud’s own', 'http://169.254.169.254', ['away', 'not_allowed']],
    ['a public address without TLS', 'http://203.0.113.7', ['away', 'not_allowed']],
    ['a private address by TLS', 'https://10.0.0.1', ['away', 'not_allowed']],
  ])('cannot lead us to %s', async (_what, instance, fault) => {
    answers[salesforceToken] = { body: { ...tokens, ...identity, instance_url: instance } };
    expect(await faultOf(salesforce().exchange('canary-code', 'v'.repeat(43), signal()))).toEqual(fault);
    // The tokens that it issued are revoked.
    expect(asked.map(({ path }) => path)).toEqual([salesforceToken, '/services/oauth2/revoke']);
  });

  it('keeps no name from us that we could not do without', async () => {
    answers[salesforceToken] = { body: { ...tokens, ...identity, instance_url: baseUrl } };
    answers[namePath] = { body: 'x'.repeat(100_000) };
    expect(await salesforce().exchange('code', 'v'.repeat(43), signal())).toMatchObject({
      organisation: { id: organisation, name: '127.0.0.1' },
    });
    expect(asked.map(({ path }) => path)).not.toContain('/services/oauth2/revoke');
  });

  it.each([
    ['an organization of no form', { ...tokens, id: 'https://login.example/id/../../x' }],
    ['no organization', tokens],
  ])('connects nothing with %s', async (_what, answer) => {
    answers[salesforceToken] = { body: { ...answer, instance_url: baseUrl } };
    expect(await faultOf(salesforce().exchange('code', 'v'.repeat(43), signal()))).toEqual([
      'away',
      'organisation_not_told',
    ]);
  });

  it.each<[string, Answer, unknown]>([
    [
      'redirects elsewhere',
      { status: 302, headers: { location: 'http://evil.example/' }, body: {} },
      ['away', 'not_understood'],
    ],
    ['answers a page', { body: '<html>canary</html>' }, ['away', 'not_understood']],
    ['answers 404', { status: 404, body: 'canary' }, ['app_refused', 'status_404']],
    ['answers too much', { body: 'x'.repeat(100_000) }, ['away', 'too_large']],
    ['gives another type of token', { body: { ...tokens, token_type: 'mac' } }, ['away', 'not_understood']],
    [
      'gives no refresh token',
      { body: { ...tokens, refresh_token: undefined } },
      ['app_refused', 'no_refresh_token'],
    ],
    [
      'repeats the secret',
      { status: 400, body: { error: 'x canary-secret', error_description: 'canary-secret' } },
      ['app_refused', 'other'],
    ],
    [
      'refuses the code',
      { status: 400, body: { error: 'invalid_grant', error_description: 'canary-code' } },
      ['grant_refused', 'invalid_grant'],
    ],
    [
      'is busy',
      { status: 429, headers: { 'retry-after': '7' }, body: {} },
      ['throttled', 'too_many_requests'],
    ],
    [
      'works on it already',
      { status: 400, body: { error: 'unknown_error', error_description: 'retry your request' } },
      ['away', 'unknown_error'],
    ],
  ])('is told apart when it %s', async (_what, answer, fault) => {
    answers['/oauth/2026-03/token'] = answer;
    expect(await faultOf(hubspot().exchange('canary-code', 'v'.repeat(43), signal()))).toEqual(fault);
    expect(asked).toHaveLength(1);
  });

  it('says for how long to wait', async () => {
    answers[salesforceToken] = { status: 429, headers: { 'retry-after': '7' }, body: {} };
    const work = salesforce().refresh({ refreshToken: 'r' }, baseUrl, signal());
    await expect(work).rejects.toMatchObject({ kind: 'throttled', waitMs: 7_000 });
  });

  it('is given up when it is silent for too long', async () => {
    const work = salesforce().refresh({ refreshToken: 'r' }, 'http://x', AbortSignal.abort());
    expect(await faultOf(work)).toEqual(['away', 'too_late']);
  });
});

describe('HubSpot’s authorization server', () => {
  it('receives tokens and secrets only in bodies, and no request for the user’s identity', async () => {
    answers['/oauth/2026-03/token'] = {
      body: { ...tokens, expires_in: 1_800, id_token: 'canary.not.checked', hub_id: 62515 },
    };
    answers['/oauth/2026-03/token/introspect'] = {
      body: { active: true, hub_id: 62515, hub_domain: 'ordinary.example', token: 'canary-access' },
    };
    const exchanged = await hubspot().exchange('canary-code', 'v'.repeat(43), signal());
    expect(exchanged).toEqual({
      grant: {
        tokens: {
          accessToken: 'canary-access',
          refreshToken: 'canary-refresh',
          accessEndsAt: new Date('2026-11-02T10:00:00.000Z'),
        },
        apiBaseUrl: baseUrl,
      },
      organisation: { id: '62515', name: 'ordinary.example' },
    });
    const [token, introspection] = asked;
    expect(Object.fromEntries(new URLSearchParams(token?.body))).toEqual({
      grant_type: 'authorization_code',
      code: 'canary-code',
      code_verifier: 'v'.repeat(43),
      redirect_uri: app.redirectUri,
      client_id: 'app',
      client_secret: 'canary-secret',
    });
    expect(introspection?.body).toContain('canary-access');
    expect(asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it.each([
    ['inactive', { active: false }],
    ['without an account', { active: true }],
  ])('connects nothing with a token that is %s', async (_what, facts) => {
    answers['/oauth/2026-03/token'] = { body: { ...tokens, expires_in: 1_800 } };
    answers['/oauth/2026-03/token/introspect'] = { body: facts };
    expect(await faultOf(hubspot().exchange('c', 'v'.repeat(43), signal()))).toEqual([
      'away',
      'organisation_not_told',
    ]);
  });

  it('uses short-lived access until it is rejected', async () => {
    answers['/oauth/2026-03/token'] = { body: { ...tokens, expires_in: 30, refresh_token: undefined } };
    const grant = await hubspot().refresh({ refreshToken: 'kept' }, baseUrl, signal());
    expect(grant.tokens).toEqual({
      accessToken: 'canary-access',
      refreshToken: 'kept',
      accessEndsAt: null,
    });
  });
});

describe('Salesforce’s authorization server', () => {
  const answered = { ...tokens, ...identity };

  it('says where the records are, without a path, and which organization it is', async () => {
    answers[salesforceToken] = { body: { ...answered, instance_url: `${baseUrl}/some/path?x` } };
    answers[namePath] = { body: { Id: organisation, Name: 'Ordinary Limited' } };
    const { grant, organisation: found } = await salesforce().exchange('c', 'v'.repeat(43), signal());
    expect([grant.apiBaseUrl, grant.tokens.accessEndsAt]).toEqual([baseUrl, null]);
    expect(found).toEqual({ id: organisation, name: 'Ordinary Limited' });
    expect(asked[1]).toMatchObject({ headers: { authorization: 'Bearer canary-access' } });
  });

  it('is also connected by a user who may not see the organization’s name', async () => {
    answers[salesforceToken] = { body: { ...answered, instance_url: baseUrl } };
    answers[namePath] = { status: 403, body: [{ errorCode: 'INSUFFICIENT_ACCESS' }] };
    const { organisation: found } = await salesforce().exchange('c', 'v'.repeat(43), signal());
    expect(found).toEqual({ id: organisation, name: '127.0.0.1' });
  });

  it('can move an organization to another instance, and need not send the instance each time', async () => {
    answers[salesforceToken] = { body: { ...tokens, instance_url: 'https://other.example' } };
    const refresh = () => salesforce().refresh({ refreshToken: 'r' }, 'https://first.example', signal());
    expect((await refresh()).apiBaseUrl).toBe('https://other.example');
    answers[salesforceToken] = { body: tokens };
    expect((await refresh()).apiBaseUrl).toBe('https://first.example');
  });
});
