import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { assistantRefusals, oauthScopeNames } from '@mailproof/shared-types';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import {
  assistantsOf,
  authorizationPath,
  type Connection,
  connect,
  exchange,
  fetchCode,
  newProof,
  postForm,
  refresh,
  register,
  type Tokens,
} from './oauth-steps.ts';
import { allow, signIn, TestBrowser } from './page-browser.ts';
import {
  applicationUrl,
  person,
  publicUrl,
  redirectUri,
  resource,
  startToolServers,
  type ToolServers,
} from './tool-server.ts';

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers({ replicas: 2 });
});
afterAll(() => servers?.stop());
beforeEach(() => {
  servers.gateway.access = 'ready';
});

const readJson = async (response: Response) => (await response.json()) as Record<string, unknown>;

/** Returns the redirect's parameters for an authorization request that does not lead to a page. */
async function refusalOf(parameters: Readonly<Record<string, string | undefined>>): Promise<URLSearchParams> {
  const clientId = await register(servers);
  const { sentTo } = await new TestBrowser(servers).open(authorizationPath(clientId, newProof(), parameters));
  if (!sentTo?.href.startsWith(redirectUri)) {
    throw new Error('The client was not told.');
  }
  // Errors for flows that are not offered here are in the fragment.
  return new URLSearchParams(`${sentTo.search.slice(1)}${sentTo.hash.slice(1)}`);
}

describe('the metadata', () => {
  it.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'at %s say what is offered and nothing else',
    async path => {
      const response = await servers.send(path, { headers: { origin: 'https://inspector.example' } });
      expect(response.headers.get('access-control-allow-origin')).toBe('https://inspector.example');
      expect(await readJson(response)).toEqual({
        issuer: publicUrl,
        authorization_endpoint: `${publicUrl}/authorize`,
        token_endpoint: `${publicUrl}/token`,
        registration_endpoint: `${publicUrl}/register`,
        revocation_endpoint: `${publicUrl}/revoke`,
        pushed_authorization_request_endpoint: `${publicUrl}/par`,
        jwks_uri: `${publicUrl}/jwks`,
        grant_types_supported: ['authorization_code', 'refresh_token'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        request_uri_parameter_supported: false,
        scopes_supported: oauthScopeNames,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      });
    },
  );

  it('name the public URL, regardless of the host that a request claims', async () => {
    const { issuer, token_endpoint } = await readJson(
      await servers.send('/.well-known/oauth-authorization-server', {
        headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      }),
    );
    expect([issuer, token_endpoint]).toEqual([publicUrl, `${publicUrl}/token`]);
  });

  it('leave no other surface open', async () => {
    for (const path of ['/me', '/userinfo', '/token/introspection', '/device/auth', '/session/end']) {
      expect((await servers.send(path)).status).toBe(404);
    }
    expect((await servers.send('/session/end/confirm', { method: 'POST' })).status).toBe(404);
    expect((await servers.send('/token')).status).toBe(405);
  });
});

describe('a connection', () => {
  it('issues an access token for ten minutes and only this resource, signed with a published key', async () => {
    const { access_token, clientId, scope } = await connect(servers);
    const keys = (await readJson(await servers.send('/jwks'))) as unknown as JSONWebKeySet;
    const { payload, protectedHeader } = await jwtVerify(access_token, createLocalJWKSet(keys), {
      issuer: publicUrl,
      audience: resource,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(protectedHeader.kid).toBe(keys.keys[0]?.kid);
    expect(keys.keys.every(key => !('d' in key))).toBe(true);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(600);
    expect(payload).toMatchObject({ aud: resource, client_id: clientId, sub: person.userId, scope });
    expect(payload['assistant_id']).toMatch(/^asst_[0-9a-f]{32}$/);
    expect(payload.jti).toEqual(expect.any(String));
    expect(servers.gateway.recorded.at(-1)?.assistantId).toBe(payload['assistant_id']);
  });

  it('answers the client with the issuer and its state (RFC 9207)', async () => {
    const clientId = await register(servers);
    const browser = new TestBrowser(servers);
    const consent = await signIn(browser, await browser.open(authorizationPath(clientId, newProof())));
    const { sentTo } = await allow(browser, consent);
    expect(Object.fromEntries(sentTo?.searchParams ?? [])).toEqual({
      code: expect.any(String),
      iss: publicUrl,
      state: 'a state',
    });
  });

  it.each([
    [undefined, 'account.read validation.run'],
    ['openid offline_access email', 'account.read validation.run'],
    ['openid offline_access validation.run', 'validation.run'],
    ['leads.search lists.run', 'lists.run leads.search'],
    [oauthScopeNames.join(' '), oauthScopeNames.join(' ')],
    ['account.read', 'account.read'],
  ])('that asks for the scopes %j gets %j', async (asked, granted) => {
    const { access_token, scope } = await connect(servers, {
      parameters: { scope: asked, nonce: 'n', prompt: 'consent' },
    });
    expect([scope, decodeJwt(access_token)['scope']]).toEqual([granted, granted]);
  });

  it.each([undefined, resource, `${resource}/`])('for the resource %j has the one audience', async asked => {
    const connection = await connect(servers, { parameters: { resource: asked } });
    expect(decodeJwt(connection.access_token).aud).toBe(resource);
    for (const resourceAtToken of [resource, `${resource}/`]) {
      const other = await connect(servers, { parameters: { resource: asked } });
      const response = await refresh(servers, other, { resource: resourceAtToken });
      const { access_token } = (await response.json()) as Tokens;
      expect(decodeJwt(access_token).aud).toBe(resource);
    }
  });

  it('again for the same client makes another grant, and each has the scopes that it was given', async () => {
    const clientId = await register(servers);
    const first = await connect(servers, { clientId, parameters: { scope: 'account.read' } });
    const second = await connect(servers, { clientId, parameters: { scope: 'validation.run' } });
    expect(decodeJwt(second.access_token)['assistant_id']).not.toBe(
      decodeJwt(first.access_token)['assistant_id'],
    );
    const scopeOf = async (connection: Connection) =>
      ((await (await refresh(servers, connection)).json()) as Tokens).scope;
    expect([await scopeOf(first), await scopeOf(second)]).toEqual(['account.read', 'validation.run']);
  });

  it('lets pages of any website fetch tokens, since no cookie is read there', async () => {
    const response = await servers.send('/token', {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.example', 'access-control-request-method': 'POST' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://inspector.example');
  });
});

describe('an authorization request is refused', () => {
  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE that does not name its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['for a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for another path of ours', { resource: `${publicUrl}/other` }, 'invalid_target'],
    ['for a port of ours that is none', { resource: `${publicUrl}:8443` }, 'invalid_target'],
    ['in the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an ID token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['with the answer in a form', { response_mode: 'form_post' }, 'invalid_request'],
    ['without a page', { prompt: 'none' }, 'login_required'],
  ])('%s', async (_name, parameters, error) => {
    const answer = await refusalOf(parameters);
    expect([answer.get('error'), answer.get('iss'), answer.get('code')]).toEqual([error, publicUrl, null]);
  });

  test.each([
    ['localhost for 127.0.0.1', 'http://localhost:45454/callback'],
    ['another path', 'http://127.0.0.1:45454/other'],
    ['another site', 'https://evil.example/callback'],
    ['a longer address', `${redirectUri}/more`],
  ])('on our own page for %s as its redirect', async (_name, uri) => {
    const clientId = await register(servers);
    const page = await new TestBrowser(servers).open(
      authorizationPath(clientId, newProof(), { redirect_uri: uri }),
    );
    expect([page.status, page.sentTo]).toEqual([400, undefined]);
    expect(page.text).toContain('invalid_redirect_uri');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['that no page may answer', { prompt: 'none' }, 'login_required'],
    ['for another flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['for a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('on a page, not by a website that a stranger chose, %s', async (_name, parameters, error) => {
    const site = 'https://stranger.example/callback';
    const clientId = await register(servers, { redirect_uris: [site] });
    const path = authorizationPath(clientId, newProof(), { ...parameters, redirect_uri: site });
    const page = await new TestBrowser(servers).open(path);
    expect([page.status, page.sentTo, page.text.includes(error)]).toEqual([400, undefined, true]);
    const link = page.document.querySelector('main a');
    expect([link?.text, link?.attributes['href']]).toEqual([
      'Go to stranger.example',
      expect.stringContaining(`${site}`),
    ]);
  });

  test('that is larger than genuine ones, pushed or in the URL, and is not kept', async () => {
    const clientId = await register(servers);
    const before = await servers.redis.dbsize();
    expect((await refusalOf({ state: 'x'.repeat(9_000) })).get('error')).toBe('invalid_request');
    const path = authorizationPath(clientId, newProof(), { state: 'x'.repeat(40_000) });
    const fields = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
    const pushed = await postForm(servers, '/par', fields);
    expect([pushed.status, (await readJson(pushed))['error']]).toEqual([400, 'invalid_request']);
    expect(await servers.redis.keys('oauth:PushedAuthorizationRequest:*')).toEqual([]);
    expect(await servers.redis.dbsize()).toBeLessThanOrEqual(before + 2);
  });

  test.each([
    // A form that contains U+0000 is not valid text (ADR 0056).
    ['\0', 'invalid_request'],
    ['a\0b', 'invalid_request'],
    ['x'.repeat(5_000), 'invalid_client'],
  ])('for a client id that cannot be one', async (clientId, error) => {
    const page = await new TestBrowser(servers).open(authorizationPath(clientId, newProof()));
    expect([page.status, page.text.includes('invalid_client')]).toEqual([400, true]);
    const asked = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId };
    expect((await readJson(await postForm(servers, '/token', asked)))['error']).toBe(error);
  });

  test('on our own page for an unknown client, shown as text', async () => {
    const path = authorizationPath('<script>alert(1)</script>', newProof());
    const page = await new TestBrowser(servers).open(path);
    expect([page.status, page.document.querySelector('script')]).toEqual([400, null]);
    expect(page.text).toContain('invalid_client');
  });
});

describe('a loopback redirect', () => {
  it('may have another port than was registered (RFC 8252 section 7.3)', async () => {
    const clientId = await register(servers, { redirect_uris: ['http://127.0.0.1/callback'] });
    const proof = newProof();
    const code = await fetchCode(servers, clientId, proof);
    expect((await exchange(servers, clientId, code, proof.verifier)).status).toBe(200);
  });
});

describe('a code is refused', () => {
  test('with a wrong verifier', async () => {
    const clientId = await register(servers);
    const code = await fetchCode(servers, clientId, newProof());
    const response = await exchange(servers, clientId, code, newProof().verifier);
    expect([response.status, await readJson(response)]).toEqual([
      400,
      { error: 'invalid_grant', error_description: expect.any(String) },
    ]);
  });

  test('the second time, which ends the assistant', async () => {
    const connection = await connect(servers);
    const again = await exchange(servers, connection.clientId, connection.code, connection.verifier);
    expect([again.status, (await readJson(again))['error']]).toEqual([400, 'invalid_grant']);
    const refreshed = await refresh(servers, connection);
    expect([refreshed.status, (await readJson(refreshed))['error']]).toEqual([400, 'invalid_grant']);
    expect(await assistantsOf(servers, connection.clientId)).toBe(0);
  });

  test('to another client, with another redirect, or for a foreign resource', async () => {
    const clientId = await register(servers);
    const proof = newProof();
    const code = await fetchCode(servers, clientId, proof);
    const { verifier } = proof;
    const other = await exchange(servers, await register(servers), code, verifier);
    const redirect = await exchange(servers, clientId, code, verifier, { redirect_uri: `${redirectUri}2` });
    expect([other.status, redirect.status]).toEqual([400, 400]);
    const foreign = await exchange(servers, clientId, code, verifier, { resource: 'https://other.example' });
    expect([foreign.status, (await readJson(foreign))['error']]).toEqual([400, 'invalid_target']);
  });

  test('to all but one of those who use it at once at two replicas, which ends the assistant', async () => {
    const clientId = await register(servers);
    const proof = newProof();
    const code = await fetchCode(servers, clientId, proof);
    const answers = await Promise.all(
      [0, 1, 0, 1].map(replica => exchange(servers, clientId, code, proof.verifier, {}, replica)),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(answers.filter(({ status }) => status === 400).length).toBeGreaterThanOrEqual(3);
    expect(await assistantsOf(servers, clientId)).toBe(0);
  });
});

describe('without access', () => {
  it.each(['no_active_plan', 'no_ready_api_key'] as const)(
    'signing in ends in access_denied with words while %s',
    async reason => {
      const clientId = await register(servers);
      const browser = new TestBrowser(servers);
      const page = await browser.open(authorizationPath(clientId, newProof()));
      servers.gateway.access = reason;
      const { sentTo } = await signIn(browser, page);
      expect(Object.fromEntries(sentTo?.searchParams ?? [])).toEqual({
        error: 'access_denied',
        error_description: assistantRefusals[reason],
        iss: publicUrl,
        state: 'a state',
      });
      expect(await assistantsOf(servers, clientId)).toBe(0);
    },
  );
});

it('pushed requests lead the same way (RFC 9126)', async () => {
  const clientId = await register(servers);
  const proof = newProof();
  const query = authorizationPath(clientId, proof, { scope: undefined, resource: undefined }).split('?')[1];
  const fields = Object.fromEntries(new URLSearchParams(query));
  const pushed = await postForm(servers, '/par', fields);
  expect(pushed.status).toBe(201);
  const { request_uri } = await readJson(pushed);
  const browser = new TestBrowser(servers);
  const path = `/authorize?${new URLSearchParams({ client_id: clientId, request_uri: String(request_uri) })}`;
  const { sentTo } = await allow(browser, await signIn(browser, await browser.open(path)));
  const code = sentTo?.searchParams.get('code') ?? '';
  const tokens = (await (await exchange(servers, clientId, code, proof.verifier)).json()) as Tokens;
  expect([tokens.scope, decodeProtectedHeader(tokens.access_token).alg]).toEqual([
    'account.read validation.run',
    'ES256',
  ]);
});

it('responds to unreadable requests with an OAuth error, and links to the application from its pages', async () => {
  const broken = await servers.send('/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  expect([broken.status, (await readJson(broken))['error']]).toEqual([400, 'invalid_request']);
  const large = await postForm(servers, '/token', { grant_type: 'x'.repeat(100_000) });
  expect(large.status).toBe(400);
  const page = await new TestBrowser(servers).open(authorizationPath(await register(servers), newProof()));
  expect(page.document.querySelector('a')?.attributes['href']).toBe(applicationUrl);
});
