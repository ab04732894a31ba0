import { createHash, randomBytes } from 'node:crypto';
import { type Browser, signIn } from '@mailproof/dev-house/sign-in-browser';
import type { Customer, ToolHouse } from './house.ts';

const timeoutMs = 120_000;

/** A client that has registered itself. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

/** A response of the tool server. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A client that a user has connected, with its tokens, code and verifier. */
export interface Connection extends RegisteredClient {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly code: string;
  readonly verifier: string;
}

export const bothScopes = 'account.read validation.run';
export const loopbackRedirect = 'http://127.0.0.1:45454/callback';

/** A verifier and its challenge (RFC 7636). */
export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Registers a public client, as assistants do (RFC 7591). */
export async function register(
  url: string,
  metadata: Record<string, unknown> = {},
): Promise<RegisteredClient> {
  const answer = await tryToRegister(url, metadata);
  if (answer.status !== 201) {
    throw new Error(`The registration was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  const [redirectUri = ''] = answer.body['redirect_uris'] as string[];
  return { clientId: String(answer.body['client_id']), redirectUri };
}

export async function tryToRegister(url: string, metadata: Record<string, unknown> = {}): Promise<Answer> {
  const { registration_endpoint } = await serverMetadata(url);
  return send(registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Test assistant',
      redirect_uris: [loopbackRedirect],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...metadata,
    }),
  });
}

/** The authorization URL of a client; `without` removes parameters, and `overrides` replaces them. */
export async function authorizationUrl(
  url: string,
  client: RegisteredClient,
  proof: Proof,
  overrides: Readonly<Record<string, string | undefined>> = {},
): Promise<URL> {
  const { authorization_endpoint } = await serverMetadata(url);
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    scope: bothScopes,
    resource: `${new URL(authorization_endpoint).origin}/mcp`,
    state: 'the state',
    code_challenge: proof.challenge,
    code_challenge_method: 'S256',
    ...overrides,
  };
  const address = new URL(authorization_endpoint);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) address.searchParams.set(name, value);
  }
  return address;
}

/** Posts to the token endpoint as a public client. */
export async function requestToken(
  url: string,
  client: RegisteredClient,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { token_endpoint } = await serverMetadata(url);
  return send(onReplica(token_endpoint, url), {
    method: 'POST',
    body: new URLSearchParams({ client_id: client.clientId, ...parameters }),
  });
}

export function redeem(
  url: string,
  client: RegisteredClient,
  code: string,
  verifier: string,
): Promise<Answer> {
  return requestToken(url, client, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: client.redirectUri,
  });
}

export function refresh(url: string, client: RegisteredClient, refreshToken: string): Promise<Answer> {
  return requestToken(url, client, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

/** Revokes a token (RFC 7009). */
export async function revoke(url: string, client: RegisteredClient, token: string): Promise<number> {
  const { revocation_endpoint } = await serverMetadata(url);
  const response = await fetch(onReplica(revocation_endpoint, url), {
    method: 'POST',
    body: new URLSearchParams({ client_id: client.clientId, token }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  await response.body?.cancel();
  return response.status;
}

/** Lets the customer sign in and allow the client, and returns the code from the redirect. */
export async function authorize(
  toolHouse: ToolHouse,
  customer: Pick<Customer, 'email' | 'password'>,
  client: RegisteredClient,
  proof: Proof,
  overrides: Readonly<Record<string, string | undefined>> = {},
  browser = toolHouse.browser(),
): Promise<URL> {
  const address = await authorizationUrl(toolHouse.url, client, proof, overrides);
  const { redirect } = await signIn(browser, address, customer);
  return redirect;
}

/** Registers a client and connects it through the pages. */
export async function connect(
  toolHouse: ToolHouse,
  customer: Pick<Customer, 'email' | 'password'>,
  {
    scope = bothScopes,
    client,
    browser,
  }: { readonly scope?: string; readonly client?: RegisteredClient; readonly browser?: Browser } = {},
): Promise<Connection> {
  const registered = client ?? (await register(toolHouse.url));
  const proof = newProof();
  const redirect = await authorize(toolHouse, customer, registered, proof, { scope }, browser);
  const code = redirect.searchParams.get('code');
  if (!code) throw new Error(`There is no code in ${redirect.search}.`);
  const { status, body } = await redeem(toolHouse.url, registered, code, proof.verifier);
  if (status !== 200) throw new Error(`The code was answered with ${status} ${JSON.stringify(body)}.`);
  return {
    ...registered,
    accessToken: String(body['access_token']),
    refreshToken: String(body['refresh_token']),
    code,
    verifier: proof.verifier,
  };
}

/** Calls a tool with one plain request, like a client of the 2025-11-25 specification. */
export function callTool(
  url: string,
  accessToken: string | undefined,
  name = 'svc_get_account_status',
  args: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postMessage(
    `${url}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }), ...headers },
  );
}

/** Posts one JSON-RPC message and returns the response message, which is plain JSON or the only event of a stream. */
export async function postMessage(
  address: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(address, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

/** The structured content of a tool's result. */
export function structuredContent({ body }: Answer): Record<string, unknown> {
  const result = body['result'] as { structuredContent?: Record<string, unknown> } | undefined;
  if (!result?.structuredContent) throw new Error(`There is no structured content: ${JSON.stringify(body)}`);
  return result.structuredContent;
}

/** The credits and rate in the result of a failed call. */
export const emptyUsage = {
  creditsRemaining: null,
  creditsConsumed: null,
  rateLimitLimit: null,
  rateLimitRemaining: null,
  rateLimitReset: null,
  rateLimitResetAt: null,
} as const;

export interface ServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint: string;
  readonly revocation_endpoint: string;
  readonly jwks_uri: string;
}

/** The metadata of the authorization server (RFC 8414). */
export async function serverMetadata(url: string): Promise<ServerMetadata> {
  const { status, body } = await send(`${url}/.well-known/oauth-authorization-server`, {});
  if (status !== 200) throw new Error(`The metadata was answered with ${status}.`);
  return body as unknown as ServerMetadata;
}

/** Returns the endpoint at a given replica: the metadata contains the public address, which leads to any replica. */
function onReplica(endpoint: string, url: string): string {
  return `${new URL(url).origin}${new URL(endpoint).pathname}`;
}

async function send(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, {
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
    ...init,
  });
  return { status: response.status, headers: response.headers, body: readBody(await response.text()) };
}

function readBody(text: string): Record<string, unknown> {
  const data = /^data: ?(\{.*)$/m.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(data) as Record<string, unknown>;
  } catch {
    return { text };
  }
}
