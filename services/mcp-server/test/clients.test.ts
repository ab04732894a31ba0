import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '@mailproof/dev-house/sign-in-browser';
import { oauthScopeNames, toolNames } from '@mailproof/shared-types';
import * as v2 from '@modelcontextprotocol/client';
import { type OAuthDiscoveryState, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import {
  authorizationUrl,
  authorize,
  bothScopes,
  callTool,
  newProof,
  type RegisteredClient,
  redeem,
  register,
  structuredContent,
} from './oauth-client.ts';
import { PagesProvider } from './pages-provider.ts';

const deliverable = 'user@ordinary.example';

let house: ToolHouse;
let customer: Customer;

beforeAll(async () => {
  house = await openSharedToolHouse();
  customer = await house.customer({ credits: 50 });
});

afterAll(() => house?.stop());

/** Everything that our server offers, in the form in which both SDKs return it. */
interface Offered {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
}

async function useEverything(client: Offered): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(toolNames);
  expect(await client.callTool({ name: 'svc_get_account_status', arguments: {} })).toMatchObject({
    structuredContent: { ok: true, data: { credits: expect.any(Number) } },
  });
  expect(
    await client.callTool({ name: 'svc_validate_email', arguments: { email: deliverable } }),
  ).toMatchObject({
    structuredContent: { ok: true, usage: { creditsConsumed: 1 } },
  });
  const { contents } = await client.readResource({ uri: 'svc://usage-guide' });
  expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringContaining('credit') }]);
}

describe('the SDK’s v2 client', () => {
  type Provider = PagesProvider<
    v2.StoredOAuthClientInformation,
    v2.StoredOAuthTokens,
    v2.OAuthDiscoveryState
  >;

  function transport(authProvider: Provider): v2.StreamableHTTPClientTransport {
    return new v2.StreamableHTTPClientTransport(new URL(house.resource), { authProvider });
  }

  async function connectThroughPages(provider: Provider, mode: 'legacy' | 'auto'): Promise<v2.Client> {
    const client = () =>
      new v2.Client({ name: 'v2 client', version: '1.0.0' }, { versionNegotiation: { mode } });
    const first = transport(provider);
    await expect(client().connect(first)).rejects.toThrow(v2.UnauthorizedError);
    await first.finishAuth(provider.returned);
    const connected = client();
    await connected.connect(transport(provider));
    return connected;
  }

  it.each([
    ['legacy', 'legacy', '2025-11-25'],
    ['auto', 'modern', '2026-07-28'],
  ] as const)('in mode %s signs in and uses everything', async (mode, era, version) => {
    const client = await connectThroughPages(new PagesProvider(house, customer), mode);
    expect(client.getProtocolEra()).toBe(era);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    await useEverything(client as unknown as Offered);
    await client.close();
  });

  it.each(['legacy', 'auto'] as const)('in mode %s refreshes its token automatically', async mode => {
    const provider: Provider = new PagesProvider(house, customer);
    const client = await connectThroughPages(provider, mode);
    const before = provider.kept.tokens;
    if (!before) throw new Error('There are no tokens.');
    // Simulates that ten minutes have passed.
    provider.kept.tokens = { ...before, access_token: 'no longer valid' };
    await useEverything(client as unknown as Offered);
    expect(provider.kept.tokens?.refresh_token).not.toBe(before.refresh_token);
    expect(provider.authorizationUrls).toHaveLength(1);
    await client.close();
  });

  it.each(['legacy', 'auto'] as const)('in mode %s steps up when a tool needs more', async mode => {
    const provider: Provider = new PagesProvider(house, customer, { scope: 'account.read' });
    const limited = new v2.StreamableHTTPClientTransport(new URL(house.resource), { authProvider: provider });
    const { redirect_uris: _, ...registration } = provider.clientMetadata;
    // The user allows fewer scopes than the challenge names.
    const { clientId, redirectUri } = await register(house.url, registration);
    provider.saveClientInformation({ client_id: clientId, issuer: house.url });
    const proof = newProof();
    const redirect = await authorize(house, customer, { clientId, redirectUri }, proof, {
      scope: 'account.read',
    });
    const granted = await redeem(
      house.url,
      { clientId, redirectUri },
      String(redirect.searchParams.get('code')),
      proof.verifier,
    );
    expect(granted.body['scope']).toBe('account.read');
    provider.saveTokens({ ...(granted.body as unknown as v2.StoredOAuthTokens), issuer: house.url });

    const client = new v2.Client({ name: 'v2 client', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(limited);
    expect(await client.callTool({ name: 'svc_get_account_status', arguments: {} })).toMatchObject({
      structuredContent: { ok: true },
    });
    const validate = () => client.callTool({ name: 'svc_validate_email', arguments: { email: deliverable } });
    await expect(validate()).rejects.toThrow(v2.UnauthorizedError);
    const asked = provider.authorizationUrls.at(-1)?.searchParams.get('scope')?.split(' ') ?? [];
    expect(asked.sort()).toEqual(['account.read', 'validation.run']);
    await limited.finishAuth(provider.returned);
    expect(await validate()).toMatchObject({ structuredContent: { ok: true } });
    await client.close();
  });
});

describe('a client that has the default scopes', () => {
  const list = { name: 'svc_prepare_list_validation', arguments: { addresses: [deliverable] } };

  it.each(['legacy', 'auto'] as const)(
    'of the SDK’s v2 in mode %s gets the tools for lists by asking its user again, and keeps the others',
    async mode => {
      const provider = new PagesProvider<
        v2.StoredOAuthClientInformation,
        v2.StoredOAuthTokens,
        v2.OAuthDiscoveryState
      >(house, customer);
      const transport = () =>
        new v2.StreamableHTTPClientTransport(new URL(house.resource), { authProvider: provider });
      const newClient = () =>
        new v2.Client({ name: 'v2 client', version: '1.0.0' }, { versionNegotiation: { mode } });
      const first = transport();
      await expect(newClient().connect(first)).rejects.toThrow(v2.UnauthorizedError);
      expect(provider.authorizationUrls.at(-1)?.searchParams.get('scope')).toBe(bothScopes);
      await first.finishAuth(provider.returned);
      const connected = transport();
      const client = newClient();
      await client.connect(connected);
      await expect(client.callTool(list)).rejects.toThrow(v2.UnauthorizedError);
      const asked = provider.authorizationUrls.at(-1)?.searchParams.get('scope')?.split(' ');
      expect(asked?.sort()).toEqual(['account.read', 'lists.run', 'validation.run']);
      await connected.finishAuth(provider.returned);
      expect(await client.callTool(list)).toMatchObject({ structuredContent: { ok: true } });
      await useEverything(client as unknown as Offered);
      await client.close();
    },
  );

  it('of the SDK’s v1, which refreshes its token in place of asking, gets all of them at the URL for all tools', async () => {
    const provider = new PagesProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      house,
      customer,
    );
    const transport = () =>
      new V1Transport(new URL(`${house.resource}?tools=all`), { authProvider: provider });
    const newClient = () => new V1Client({ name: 'v1 client', version: '1.0.0' });
    const first = transport();
    await expect(newClient().connect(first as never)).rejects.toThrow(UnauthorizedError);
    expect(provider.authorizationUrls.at(-1)?.searchParams.get('scope')).toBe(oauthScopeNames.join(' '));
    await first.finishAuth(String(provider.returned.get('code')));
    const client = newClient();
    await client.connect(transport() as never);
    expect(await client.callTool(list)).toMatchObject({ structuredContent: { ok: true } });
    await useEverything(client as unknown as Offered);
    await client.close();
  });
});

describe('the SDK’s v1 client', () => {
  it('signs in and uses everything', async () => {
    const provider = new PagesProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      house,
      customer,
    );
    const transport = () => new V1Transport(new URL(house.resource), { authProvider: provider });
    const first = transport();
    const greeting = new V1Client({ name: 'v1 client', version: '1.0.0' }).connect(first as never);
    await expect(greeting).rejects.toThrow(UnauthorizedError);
    await first.finishAuth(String(provider.returned.get('code')));
    const client = new V1Client({ name: 'v1 client', version: '1.0.0' });
    await client.connect(transport() as never);
    await useEverything(client as unknown as Offered);
    await client.close();
  });
});

describe('oauth4webapi', () => {
  it('discovers, registers, signs in, redeems, refreshes and revokes by the letter', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const resource = new URL(house.resource);
    const resourceServer = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    const issuer = new URL(String(resourceServer.authorization_servers?.[0]));
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const redirectUri = 'http://127.0.0.1:45455/callback';
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', client_name: 'oauth4webapi' },
        insecure,
      ),
    );
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const address = await authorizationUrl(
      house.url,
      { clientId: client.client_id, redirectUri },
      { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) },
      { state },
    );
    const { redirect } = await signIn(house.browser(), address, customer);
    const callback = oauth.validateAuthResponse(server, client, redirect, state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        callback,
        redirectUri,
        verifier,
        insecure,
      ),
    );
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: bothScopes, expires_in: 600 });
    const request = new Request(resource, { headers: { authorization: `Bearer ${tokens.access_token}` } });
    const claims = await oauth.validateJwtAccessToken(server, request, house.resource, insecure);
    expect(claims).toMatchObject({ iss: house.url, aud: house.resource, client_id: client.client_id });
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(600);

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        String(tokens.refresh_token),
        insecure,
      ),
    );
    const called = await callTool(house.url, refreshed.access_token);
    expect(structuredContent(called)).toMatchObject({ ok: true });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), String(refreshed.refresh_token), insecure),
    );
    expect((await callTool(house.url, refreshed.access_token)).status).toBe(401);
  });
});

describe('the addresses to which clients want to be sent back', () => {
  it.each([
    'http://localhost:45456/callback',
    'http://127.0.0.1:45456/oauth/callback',
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'http://localhost:6274/oauth/callback',
    'https://vscode.dev/redirect',
  ])('%s is registered, shown and reached', async redirectUri => {
    const client = await register(house.url, { redirect_uris: [redirectUri] });
    const proof = newProof();
    const address = await authorizationUrl(house.url, client, proof);
    const { redirect, pages } = await signIn(house.browser(), address, customer);
    expect(redirect.href.startsWith(`${redirectUri}?`)).toBe(true);
    expect(redirect.searchParams.get('iss')).toBe(house.url);
    expect(redirect.searchParams.get('state')).toBe('the state');
    const shown = new URL(redirectUri);
    const host = shown.protocol.startsWith('http') ? shown.hostname : shown.protocol.replace(':', '');
    expect(pages.at(-1)?.text).toContain(host);
    const { status } = await redeem(
      house.url,
      client,
      String(redirect.searchParams.get('code')),
      proof.verifier,
    );
    expect(status).toBe(200);
  });
});

describe('what clients leave out or spell otherwise', () => {
  it.each<[string, Record<string, string | undefined>]>([
    ['no resource, as clients of older specifications do', { resource: undefined }],
    ['no scope', { scope: undefined }],
    ['scopes that mean nothing here', { scope: `openid ${bothScopes} offline_access` }],
    ['another port on loopback (RFC 8252 section 7.3)', { redirect_uri: 'http://127.0.0.1:45499/callback' }],
  ])('%s', async (_name, overrides) => {
    const registered = await register(house.url);
    const client = { ...registered, redirectUri: overrides['redirect_uri'] ?? registered.redirectUri };
    await expectBothScopes(client, overrides);
  });

  it('a slash after the address', async () => {
    await expectBothScopes(await register(house.url), { resource: `${house.resource}/` });
  });

  async function expectBothScopes(
    client: RegisteredClient,
    overrides: Readonly<Record<string, string | undefined>>,
  ): Promise<void> {
    const proof = newProof();
    const redirect = await authorize(house, customer, client, proof, overrides);
    const { body } = await redeem(
      house.url,
      client,
      String(redirect.searchParams.get('code')),
      proof.verifier,
    );
    expect(body).toMatchObject({ scope: bothScopes, token_type: 'Bearer' });
    expect(decodeJwt(String(body['access_token'])).aud).toBe(house.resource);
    const called = await callTool(house.url, String(body['access_token']));
    expect(structuredContent(called)).toMatchObject({ ok: true });
  }
});
