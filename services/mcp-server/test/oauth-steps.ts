import { createHash, randomBytes } from 'node:crypto';
import { allow, formOf, signIn, TestBrowser } from './page-browser.ts';
import { publicUrl, redirectUri, resource, type ToolServers } from './tool-server.ts';

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export async function register(servers: ToolServers, metadata: object = {}): Promise<string> {
  const response = await postJson(servers, '/register', {
    client_name: 'A test client',
    redirect_uris: [redirectUri],
    ...metadata,
  });
  const body = (await response.json()) as { client_id?: string };
  if (response.status !== 201 || !body.client_id) {
    throw new Error(`The registration was answered with ${response.status} ${JSON.stringify(body)}.`);
  }
  return body.client_id;
}

export function postJson(servers: ToolServers, path: string, body: unknown): Promise<Response> {
  return servers.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function postForm(
  servers: ToolServers,
  path: string,
  fields: Readonly<Record<string, string>>,
  replica = 0,
): Promise<Response> {
  return servers.send(path, { method: 'POST', body: new URLSearchParams(fields) }, replica);
}

/** The path of an authorization request; a parameter that is `undefined` is left out. */
export function authorizationPath(
  clientId: string,
  proof: Proof,
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'account.read validation.run',
    resource,
    state: 'a state',
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    ...parameters,
  };
  return `/authorize?${formOf(all)}`;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export interface Connection extends Tokens {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
}

/** Returns the code after sign-in and consent, by default in a browser without cookies. */
export async function fetchCode(
  servers: ToolServers,
  clientId: string,
  proof: Proof,
  parameters: Readonly<Record<string, string | undefined>> = {},
  browser = new TestBrowser(servers),
): Promise<string> {
  const consent = await signIn(browser, await browser.open(authorizationPath(clientId, proof, parameters)));
  const { sentTo } = await allow(browser, consent);
  const code = sentTo?.searchParams.get('code');
  if (!code) {
    throw new Error(`There is no code: ${sentTo?.href ?? consent.text}`);
  }
  return code;
}

export function exchange(
  servers: ToolServers,
  clientId: string,
  code: string,
  verifier: string,
  fields: Readonly<Record<string, string>> = {},
  replica = 0,
): Promise<Response> {
  const given = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
  return postForm(servers, '/token', { ...given, redirect_uri: redirectUri, ...fields }, replica);
}

export function refresh(
  servers: ToolServers,
  { clientId, refresh_token }: Pick<Connection, 'clientId' | 'refresh_token'>,
  fields: Readonly<Record<string, string>> = {},
  replica = 0,
): Promise<Response> {
  const given = { grant_type: 'refresh_token', client_id: clientId, refresh_token };
  return postForm(servers, '/token', { ...given, ...fields }, replica);
}

/** Uses an access token at `/mcp`, for a message that needs no other service. Returns the status. */
export async function useToken(servers: ToolServers, accessToken: string, replica = 0): Promise<number> {
  const response = await servers.send(
    '/mcp',
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
        'x-forwarded-host': new URL(publicUrl).host,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    },
    replica,
  );
  await response.body?.cancel();
  return response.status;
}

/** Registers and connects a client, and returns its connection. */
export async function connect(
  servers: ToolServers,
  options: {
    clientId?: string;
    parameters?: Readonly<Record<string, string | undefined>>;
    browser?: TestBrowser;
  } = {},
): Promise<Connection> {
  const clientId = options.clientId ?? (await register(servers));
  const proof = newProof();
  const code = await fetchCode(servers, clientId, proof, options.parameters, options.browser);
  const response = await exchange(servers, clientId, code, proof.verifier);
  if (response.status !== 200) {
    throw new Error(`The code was answered with ${response.status} ${await response.text()}.`);
  }
  return { ...((await response.json()) as Tokens), clientId, code, verifier: proof.verifier };
}

/** Returns how many assistants a client has. */
export async function assistantsOf({ pool }: ToolServers, clientId: string): Promise<number> {
  const { rows } = await pool.query('SELECT 1 FROM assistant WHERE client_id = $1', [clientId]);
  return rows.length;
}
