import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import {
  authorizationPath,
  connect,
  exchange,
  fetchCode,
  newProof,
  postForm,
  postJson,
  refresh,
  register,
  type Tokens,
} from './oauth-steps.ts';
import { publicUrl, resource, startToolServers, type ToolServers } from './tool-server.ts';

/** Requests that third-party clients send and ours do not; each was seen in a client that people use. */
let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers();
});
afterAll(() => servers?.stop());

interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method: string;
}

interface Habit {
  readonly maker: string;
  /** The registration. */
  readonly asks: Readonly<Record<string, unknown>> & { readonly redirect_uris: readonly string[] };
  /** The destination of the response, if not the first redirect URI. */
  readonly redirectUri?: string;
  /** Parameters of the authorization request; undefined ones are left out. */
  readonly authorizes?: Readonly<Record<string, string | undefined>>;
  /** How the client authenticates at the token endpoint. */
  readonly shows: 'id' | 'basic' | 'post';
  /** Parameters of each token request. */
  readonly fetches?: Readonly<Record<string, string>>;
  readonly refreshes?: Readonly<Record<string, string>>;
}

const bothGrants = ['authorization_code', 'refresh_token'];

const habits: readonly Habit[] = [
  {
    maker: 'a website that keeps a secret and sends it in the body (Claude)',
    asks: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: bothGrants,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'account.read validation.run',
    },
    shows: 'post',
    fetches: { resource },
  },
  {
    maker: 'a website that asks for scopes of OpenID Connect (ChatGPT)',
    asks: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      grant_types: bothGrants,
      token_endpoint_auth_method: 'none',
      scope: 'openid email offline_access',
    },
    authorizes: { scope: 'openid email offline_access', nonce: 'n', prompt: 'consent' },
    shows: 'id',
  },
  {
    maker: 'an editor with its own scheme (Cursor)',
    asks: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      token_endpoint_auth_method: 'none',
    },
    shows: 'id',
  },
  {
    maker: 'an editor with eight redirects and the device grant, at a port it did not register (VS Code)',
    asks: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://localhost/',
        'http://127.0.0.1/',
        'http://localhost:33418/',
        'http://127.0.0.1:33418/',
        'http://localhost:33418',
        'http://127.0.0.1:33418',
      ],
      grant_types: [...bothGrants, 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    redirectUri: 'http://127.0.0.1:50123/',
    shows: 'id',
  },
  {
    maker: 'a program that says null and nothing where it has nothing to say (C#, Go)',
    asks: {
      client_name: null,
      redirect_uris: ['http://127.0.0.1:41337/oauth_callback'],
      grant_types: [],
      response_types: null,
      token_endpoint_auth_method: '',
      scope: '',
      contacts: null,
    },
    authorizes: { scope: '' },
    shows: 'id',
  },
  {
    maker: 'a server that others run (LibreChat, n8n)',
    asks: {
      client_name: 'LibreChat MCP Client',
      redirect_uris: ['https://chat.example/api/mcp/mailproof/oauth/callback'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_basic',
      logo_uri: 'https://chat.example/logo.png',
      tos_uri: 'https://chat.example/terms',
      contacts: ['operator@chat.example'],
      software_id: 'x',
      jwks_uri: 'https://chat.example/jwks',
    },
    shows: 'basic',
  },
  {
    maker: 'a client that calls its loopback redirect a website and wants every grant',
    asks: {
      redirect_uris: ['http://localhost:3000/callback'],
      application_type: 'web',
      response_types: ['code', 'token'],
      grant_types: ['authorization_code', 'implicit', 'client_credentials'],
    },
    shows: 'id',
  },
  {
    maker: 'a client that names the server by its address alone (FastMCP 2)',
    asks: {
      redirect_uris: ['http://localhost:3030/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    authorizes: { resource: publicUrl },
    shows: 'post',
    fetches: { resource: publicUrl },
    refreshes: { resource: `${publicUrl}/` },
  },
  {
    maker: 'a client that says at each refresh what it once asked for (Authlib)',
    asks: { redirect_uris: ['http://localhost:3030/callback'] },
    authorizes: { scope: 'account.read validation.run offline_access openid', resource: undefined },
    shows: 'id',
    refreshes: { scope: 'account.read validation.run offline_access openid' },
  },
  {
    maker: 'a client whose scopes mean nothing here (mcp-go)',
    asks: { redirect_uris: ['http://localhost:8085/oauth/callback'], scope: 'mcp.read mcp.write' },
    authorizes: { scope: 'mcp.read mcp.write' },
    shows: 'id',
    refreshes: { scope: 'mcp.read mcp.write' },
  },
  {
    maker: 'a public client that sends an empty secret in a header (requests-oauthlib)',
    asks: { redirect_uris: ['http://localhost:3030/callback'] },
    shows: 'basic',
  },
];

describe('there connects', () => {
  test.each(habits.map(habit => [habit.maker, habit] as const))('%s', async (_maker, habit) => {
    const client = await registered(habit);
    const redirect_uri = habit.redirectUri ?? habit.asks.redirect_uris[0];
    const proof = newProof();
    const code = await fetchCode(servers, client.client_id, proof, { ...habit.authorizes, redirect_uri });
    const first = await fetchTokens(client, habit, {
      grant_type: 'authorization_code',
      code,
      code_verifier: proof.verifier,
      redirect_uri: String(redirect_uri),
      ...habit.fetches,
    });
    const { refresh_token } = first;
    const second = await fetchTokens(client, habit, {
      grant_type: 'refresh_token',
      refresh_token,
      ...habit.refreshes,
    });
    for (const { access_token, scope } of [first, second]) {
      expect(scope.split(' ').toSorted()).toEqual(['account.read', 'validation.run']);
      expect(decodeJwt(access_token).aud).toBe(resource);
    }
  });

  async function registered({ asks }: Habit): Promise<Registered> {
    const response = await postJson(servers, '/register', asks);
    const client = (await response.json()) as Registered & Record<string, unknown>;
    const method = asks['token_endpoint_auth_method'] || 'none';
    expect([response.status, client]).toEqual([
      201,
      expect.objectContaining({
        client_id: expect.any(String),
        client_id_issued_at: expect.any(Number),
        redirect_uris: asks.redirect_uris,
        grant_types: bothGrants,
        response_types: ['code'],
        token_endpoint_auth_method: method,
        ...(method !== 'none' && { client_secret: expect.any(String), client_secret_expires_at: 0 }),
      }),
    ]);
    expect('client_secret' in client).toBe(method !== 'none');
    return client;
  }

  async function fetchTokens(
    { client_id, client_secret = '' }: Registered,
    { shows }: Habit,
    fields: Readonly<Record<string, string>>,
  ): Promise<Tokens> {
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    const response = await servers.send('/token', {
      method: 'POST',
      body: new URLSearchParams({
        ...fields,
        ...(shows !== 'basic' && { client_id }),
        ...(shows === 'post' && { client_secret }),
      }),
      headers: shows === 'basic' ? { authorization: `Basic ${basic}` } : {},
    });
    const answer = (await response.json()) as Tokens;
    expect([response.status, answer]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    return answer;
  }
});

describe('what looks like a habit is refused still', () => {
  it('when a client that has a secret shows an empty one', async () => {
    const clientId = await register(servers, { token_endpoint_auth_method: 'client_secret_basic' });
    const proof = newProof();
    const code = await fetchCode(servers, clientId, proof);
    const response = await servers.send('/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier: proof.verifier }),
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:`).toString('base64')}` },
    });
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ error: 'invalid_client' }),
    ]);
  });

  it('when the header and the body name two clients', async () => {
    const [one, other] = [await register(servers), await register(servers)];
    const response = await servers.send('/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: one }),
      headers: { authorization: `Basic ${Buffer.from(`${other}:`).toString('base64')}` },
    });
    expect(response.status).toBe(400);
  });

  it('when a refresh asks for more than was granted, among what means nothing', async () => {
    const connection = await connect(servers, { parameters: { scope: 'account.read' } });
    const response = await refresh(servers, connection, { scope: 'openid validation.run' });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_scope' }),
    ]);
  });

  it('when a code that was fetched for our address is exchanged for another server', async () => {
    const clientId = await register(servers);
    const proof = newProof();
    const code = await fetchCode(servers, clientId, proof, { resource: publicUrl });
    const response = await exchange(servers, clientId, code, proof.verifier, {
      resource: `${publicUrl}.evil.example`,
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_target' }),
    ]);
  });
});

describe('a client that looks around for the metadata', () => {
  test.each([
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration/mcp',
    '/mcp/.well-known/openid-configuration',
    '/mcp/.well-known/oauth-authorization-server',
    '/mcp/.well-known/oauth-protected-resource',
  ])('is told plainly that there is nothing at %s, so that it continues', async path => {
    const response = await servers.send(path, { headers: { 'mcp-protocol-version': '2025-06-18' } });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([404, null]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  test.each([
    ['/.well-known/oauth-protected-resource', { resource, authorization_servers: [publicUrl] }],
    ['/.well-known/oauth-protected-resource/mcp', { resource, authorization_servers: [publicUrl] }],
    ['/.well-known/oauth-authorization-server', { issuer: publicUrl }],
    ['/.well-known/openid-configuration', { issuer: publicUrl }],
  ])('finds it at %s', async (path, metadata) => {
    const response = await servers.send(path, { headers: { 'mcp-protocol-version': '2025-06-18' } });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining(metadata)]);
  });
});

it('revokes for a public client that sends an empty secret in a header', async () => {
  const { clientId, refresh_token } = await connect(servers);
  const response = await servers.send('/revoke', {
    method: 'POST',
    body: new URLSearchParams({ token: refresh_token, token_type_hint: 'refresh_token' }),
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:`).toString('base64')}` },
  });
  expect(response.status).toBe(200);
  const after = await postForm(servers, '/token', {
    grant_type: 'refresh_token',
    refresh_token,
    client_id: clientId,
  });
  expect([after.status, await after.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_grant' }),
  ]);
});

it('keeps a client out that names another server, and says which one this is', async () => {
  const clientId = await register(servers);
  const path = authorizationPath(clientId, newProof(), { resource: 'https://elsewhere.example' });
  const response = await servers.send(path);
  const answer = new URL(response.headers.get('location') ?? '').searchParams;
  expect([answer.get('error'), answer.get('error_description')]).toEqual([
    'invalid_target',
    expect.stringContaining(resource),
  ]);
});
