import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, oauthScopeNames } from '@mailproof/shared-types';
import { generateKeyPair, UnsecuredJWT } from 'jose';
import { startToolServer, type TokenOptions, type ToolServer, testApiKey } from './lone-tool-server.ts';
import { type Era, eras, send } from './messages.ts';

let server: ToolServer;

beforeAll(async () => {
  server = await startToolServer({ AUTH_FAILURES_PER_MINUTE_MAX: '100000' });
});

beforeEach(() => server.gateway.reset());

// None of the refused requests may have called the gateway.
afterEach(() => expect(server.gateway.received).toEqual([]));

afterAll(() => server?.stop());

const challenge = (publicUrl: string) =>
  `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="account.read validation.run"`;

function ask(headers: Readonly<Record<string, string>>, era: Era = '2025-11-25', search = '') {
  const params = { name: 'svc_get_account_status', arguments: {} };
  return search === ''
    ? send(server.url, era, { method: 'tools/call', params }, headers)
    : fetch(`${server.url}/mcp${search}`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      }).then(async response => ({
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      }));
}

async function expectInvalid(headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await ask(headers);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toMatch(
    /^Bearer error="invalid_token", error_description="[^"]+", /,
  );
  expect(answer.headers.get('www-authenticate')).toContain(challenge(server.publicUrl));
  expect(answer.body).toMatchObject({ status: 401, code: 'invalid_access_token' });
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('a token', () => {
  it('is let in as the authorization server makes it', async () => {
    const headers = { authorization: `Bearer ${await server.token()}` };
    const answer = await send(server.url, '2025-11-25', { method: 'tools/list' }, headers);
    expect(answer.status).toBe(200);
  });

  const refused: readonly [string, () => TokenOptions | Promise<TokenOptions>][] = [
    ['that has expired', () => ({ claims: { exp: nowSeconds() - 30 } })],
    ['that is not valid yet', () => ({ claims: { nbf: nowSeconds() + 300 } })],
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['for another audience', () => ({ claims: { aud: 'https://other.example/mcp' } })],
    ['for a path next to ours', () => ({ claims: { aud: `${server.publicUrl}/mcp/other` } })],
    ['for our origin', () => ({ claims: { aud: server.publicUrl } })],
    ['for two audiences', () => ({ claims: { aud: [`${server.publicUrl}/mcp`, 'https://other.example'] } })],
    ['of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['of our issuer with a slash', () => ({ claims: { iss: `${server.publicUrl}/` } })],
    ['of a key with an unknown name', () => ({ header: { kid: 'unknown' } })],
    ['of a key without a name', () => ({ header: { kid: undefined } })],
    [
      'of another key under the name of ours',
      async () => ({ key: (await generateKeyPair('ES256')).privateKey }),
    ],
    [
      'of another algorithm',
      async () => ({ header: { alg: 'RS256' }, key: (await generateKeyPair('RS256')).privateKey }),
    ],
    [
      'signed by a secret that is our public key’s name',
      () => ({ header: { alg: 'HS256' }, key: new TextEncoder().encode('test'.repeat(16)) }),
    ],
    ['of an assistant that cannot be', () => ({ claims: { assistant_id: "asst_' OR 1=1" } })],
    ['whose scope is a list', () => ({ claims: { scope: ['account.read'] } })],
    ...['iss', 'aud', 'exp', 'iat', 'sub', 'jti', 'client_id', 'scope', 'assistant_id'].map(
      (claim): [string, () => TokenOptions] => [`without ${claim}`, () => ({ without: [claim] })],
    ),
  ];

  it.each(refused)('%s is refused', async (_what, options) => {
    await expectInvalid({ authorization: `Bearer ${await server.token(await options())}` });
  });

  it('without a signature is refused', async () => {
    const unsigned = new UnsecuredJWT({ assistant_id: server.caller.assistantId })
      .setIssuer(server.publicUrl)
      .setAudience(`${server.publicUrl}/mcp`)
      .setExpirationTime('5m')
      .encode();
    await expectInvalid({ authorization: `Bearer ${unsigned}` });
    const [, payload] = (await server.token()).split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt","kid":"test"}').toString('base64url');
    await expectInvalid({ authorization: `Bearer ${none}.${payload}.` });
  });

  it('that was changed is refused', async () => {
    const [header, payload = '', signature] = (await server.token()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...claims, exp: nowSeconds() + 9_999 })).toString(
      'base64url',
    );
    await expectInvalid({ authorization: `Bearer ${header}.${changed}.${signature}` });
  });

  it.each([
    'nonsense',
    'Bearer',
    'Bearer nonsense',
    'Bearer a.b.c',
    'Basic dXNlcjpwYXNzd29yZA==',
    'Bearer a b',
    'DPoP a.b.c',
  ])('of another form is refused: %s', async authorization => {
    await expectInvalid({ authorization });
  });

  it('of an assistant that was disconnected is refused at its next request', async () => {
    const assistant = await server.connect();
    const headers = { authorization: `Bearer ${await server.token({ assistant })}` };
    expect((await send(server.url, '2025-11-25', { method: 'tools/list' }, headers)).status).toBe(200);
    await server.disconnect(assistant);
    await expectInvalid(headers);
  });
});

describe('a request without a token', () => {
  it.each(eras)('learns in %s where to get one, and nothing of an error', async era => {
    const answer = await ask({}, era);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer ${challenge(server.publicUrl)}`);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ code: 'missing_access_token' });
  });

  it.each(['GET', 'DELETE', 'HEAD', 'PUT'])('is told so too when it comes by %s', async method => {
    const answer = await fetch(`${server.url}/mcp`, { method });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
  });
});

describe('a static key', () => {
  const withoutToken: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['in x-api-key', { 'x-api-key': testApiKey }, ''],
    ['in api-key', { 'api-key': testApiKey }, ''],
    ['in x-auth-token', { 'x-auth-token': 'anything' }, ''],
    ['as a bearer token', { authorization: `Bearer ${testApiKey}` }, ''],
    ['in Authorization without a scheme', { authorization: testApiKey }, ''],
    ['in the query as api_key', {}, `?api_key=${testApiKey}`],
    ['in the query as X-Api-Key', {}, `?X-Api-Key=${testApiKey}`],
    ['in the query under any name', {}, `?anything=${testApiKey}`],
  ];

  it.each(withoutToken)('%s is refused with the challenge and a hint', async (_where, headers, search) => {
    const answer = await ask(headers, '2025-11-25', search);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer ${challenge(server.publicUrl)}`);
    expect(answer.body).toMatchObject({
      code: 'static_key_not_supported',
      detail: expect.stringContaining('OAuth'),
    });
    expect(JSON.stringify(answer.body)).not.toContain(testApiKey);
  });

  it('is refused next to a valid token too', async () => {
    const authorization = `Bearer ${await server.token()}`;
    expect((await ask({ authorization, 'x-api-key': testApiKey })).status).toBe(401);
  });

  it('is what a token in the query is, however valid', async () => {
    const answer = await ask({}, '2025-11-25', `?access_token=${await server.token()}`);
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ code: 'static_key_not_supported' });
  });
});

it('a client without a token is told to request all scopes at the URL that says so', async () => {
  const scopeAt = async (query: string) =>
    /scope="([^"]*)"/.exec((await ask({}, '2025-11-25', query)).headers.get('www-authenticate') ?? '')?.[1];
  expect(await scopeAt('?tools=all')).toBe(oauthScopeNames.join(' '));
  expect(await scopeAt('?tools=some')).toBe('account.read validation.run');
});

describe.each(eras)('a token that lacks the scope of the tool, in %s', era => {
  it.each([
    ['svc_validate_email', 'account.read', 'validation.run account.read'],
    ['svc_get_account_status', 'validation.run', 'account.read validation.run'],
    ['svc_validate_email', '', 'validation.run'],
    ['svc_validate_email', 'account.readvalidation.run', 'validation.run'],
    ['svc_prepare_list_validation', 'account.read validation.run', 'lists.run account.read validation.run'],
    ['svc_start_list_validation', 'validation.run', 'lists.run validation.run'],
    ['svc_get_list_validation', 'leads.search', 'lists.run leads.search'],
    ['svc_get_list_results', '', 'lists.run'],
    ['svc_enrich_profile', 'lists.run leads.search', 'profiles.enrich lists.run leads.search'],
    ['svc_search_people', 'account.read validation.run', 'leads.search account.read validation.run'],
    ['svc_get_more_people', 'profiles.enrich', 'leads.search profiles.enrich'],
    ['svc_search_companies', 'profiles.enrich', 'leads.search profiles.enrich'],
    ['svc_get_more_companies', 'profiles.enrich', 'leads.search profiles.enrich'],
    ['svc_find_similar_companies', 'profiles.enrich', 'leads.search profiles.enrich'],
  ])('%s with "%s" is refused with a challenge for "%s"', async (name, scope, asked) => {
    const authorization = `Bearer ${await server.token({ scope })}`;
    const params = { name, arguments: { email: 'ada@ordinary.example' } };
    const answer = await send(server.url, era, { method: 'tools/call', params }, { authorization });
    expect(answer.status).toBe(403);
    const header = answer.headers.get('www-authenticate');
    expect(header).toContain('error="insufficient_scope"');
    expect(header).toContain(`scope="${asked}"`);
    expect(header).toContain(
      `resource_metadata="${server.publicUrl}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it('is refused the results of lists like the tool that reads them', async () => {
    const authorization = `Bearer ${await server.token({ scope: 'account.read' })}`;
    const params = { uri: `svc://jobs/${newId('validationJob')}/results/1` };
    const answer = await send(server.url, era, { method: 'resources/read', params }, { authorization });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('scope="lists.run account.read"');
  });

  it('still lists and reads', async () => {
    const authorization = `Bearer ${await server.token({ scope: '' })}`;
    for (const message of [
      { method: 'tools/list' },
      { method: 'resources/templates/list' },
      { method: 'resources/read', params: { uri: 'svc://usage-guide' } },
    ]) {
      expect((await send(server.url, era, message, { authorization })).body).toHaveProperty('result');
    }
  });
});
