import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lastPage, signIn } from '@mailproof/dev-house/sign-in-browser';
import { assistantRefusals } from '@mailproof/shared-types';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import {
  type Answer,
  authorizationUrl,
  authorize,
  bothScopes,
  type Connection,
  callTool,
  connect,
  emptyUsage,
  newProof,
  postMessage,
  type RegisteredClient,
  redeem,
  refresh,
  register,
  requestToken,
  structuredContent,
  tryToRegister,
} from './oauth-client.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';

let house: ToolHouse;
let customer: Customer;
let connection: Connection;
let client: RegisteredClient;
let key: SigningKey;

beforeAll(async () => {
  // Without an overlap, the second use is a replay.
  house = await openToolHouse({
    only: ['gateway', 'credit-ledger', 'validation-engine', 'mcp-server'],
    env: { 'mcp-server': { OAUTH_REFRESH_OVERLAP_SECONDS: '0' } },
  });
  customer = await house.customer();
  connection = await connect(house, customer);
  client = connection;
  key = await openSigningKey(house);
});

afterAll(() => house?.stop());

/** How a client is refused: in a redirect back to it, on a page for the user, or in a response. */
interface Refusal {
  readonly status: number | 'sent back';
  readonly error?: string | undefined;
  readonly challenge?: Readonly<Record<string, string>> | undefined;
}

/** Opens the authorization endpoint without signing in. */
async function open(overrides: Readonly<Record<string, string | undefined>>): Promise<Refusal> {
  const address = await authorizationUrl(house.url, client, newProof(), overrides);
  const arrival = await house.browser().open(address);
  if (arrival.sentTo) {
    const { origin, pathname, searchParams, hash } = arrival.sentTo;
    expect(origin + pathname).toBe(client.redirectUri);
    // Flows that return their result in the fragment also return errors there (RFC 6749 section 4.2.2.1).
    const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
    return { status: 'sent back', error: String(error) };
  }
  const page = lastPage(arrival);
  return { status: page.status, error: /\b(invalid|unsupported|unauthorized)_[a-z_]+/.exec(page.text)?.[0] };
}

function fromAnswer({ status, headers, body }: Answer): Refusal {
  const challenge = headers.get('www-authenticate');
  return {
    status,
    ...(typeof body['error'] === 'string' && { error: body['error'] }),
    ...(challenge !== null && { challenge: readChallenge(challenge) }),
  };
}

/** The parameters of a Bearer challenge (RFC 6750 section 3), without the description. */
function readChallenge(challenge: string): Record<string, string> {
  expect(challenge).toMatch(/^Bearer /);
  const parameters = [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const { error_description: _, ...rest } = Object.fromEntries(parameters);
  return rest;
}

describe('the authorization server refuses', () => {
  it.each<[string, () => Promise<Refusal>, Refusal]>([
    [
      'a request without PKCE',
      () => open({ code_challenge: undefined, code_challenge_method: undefined }),
      { status: 'sent back', error: 'invalid_request' },
    ],
    [
      'a plain challenge',
      () => open({ code_challenge: newProof().verifier, code_challenge_method: 'plain' }),
      { status: 'sent back', error: 'invalid_request' },
    ],
    [
      'a challenge of no named method, which means plain (RFC 7636 section 4.3)',
      () => open({ code_challenge_method: undefined }),
      { status: 'sent back', error: 'invalid_request' },
    ],
    [
      'another server’s resource',
      () => open({ resource: 'https://elsewhere.example/mcp' }),
      { status: 'sent back', error: 'invalid_target' },
    ],
    [
      'a resource of ours that is none',
      () => open({ resource: `${house.url}/other` }),
      { status: 'sent back', error: 'invalid_target' },
    ],
    [
      'an implicit grant',
      () => open({ response_type: 'token' }),
      { status: 'sent back', error: 'unsupported_response_type' },
    ],
    [
      'another path than the registered one',
      () => open({ redirect_uri: 'http://127.0.0.1:45454/callback/other' }),
      { status: 400, error: 'invalid_redirect_uri' },
    ],
    [
      'localhost for 127.0.0.1',
      () => open({ redirect_uri: 'http://localhost:45454/callback' }),
      { status: 400, error: 'invalid_redirect_uri' },
    ],
    ['an unknown client', () => open({ client_id: 'nobody' }), { status: 400, error: 'invalid_client' }],
    [
      'to register an http address that is not loopback',
      async () =>
        fromAnswer(await tryToRegister(house.url, { redirect_uris: ['http://elsewhere.example/callback'] })),
      { status: 400, error: 'invalid_redirect_uri' },
    ],
    [
      'to register an address that runs a script',
      async () => fromAnswer(await tryToRegister(house.url, { redirect_uris: ['javascript:alert(1)'] })),
      { status: 400, error: 'invalid_redirect_uri' },
    ],
    [
      'a code with a wrong verifier',
      async () => {
        const redirect = await authorize(house, customer, client, newProof());
        return fromAnswer(await redeem(house.url, client, codeOf(redirect), newProof().verifier));
      },
      { status: 400, error: 'invalid_grant' },
    ],
    [
      'a code without a verifier',
      async () => {
        const code = codeOf(await authorize(house, customer, client, newProof()));
        const parameters = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri };
        return fromAnswer(await requestToken(house.url, client, parameters));
      },
      { status: 400, error: 'invalid_grant' },
    ],
    [
      'a code of another client',
      async () => {
        const proof = newProof();
        const code = codeOf(await authorize(house, customer, client, proof));
        return fromAnswer(await redeem(house.url, await register(house.url), code, proof.verifier));
      },
      { status: 400, error: 'invalid_grant' },
    ],
    [
      'a foreign resource at the token endpoint',
      async () => {
        const proof = newProof();
        const code = codeOf(await authorize(house, customer, client, proof));
        return fromAnswer(
          await requestToken(house.url, client, {
            grant_type: 'authorization_code',
            code,
            code_verifier: proof.verifier,
            redirect_uri: client.redirectUri,
            resource: 'https://elsewhere.example/mcp',
          }),
        );
      },
      { status: 400, error: 'invalid_target' },
    ],
    [
      'a refresh token of another client',
      async () => {
        const { refreshToken } = await connect(house, customer);
        return fromAnswer(await refresh(house.url, await register(house.url), refreshToken));
      },
      { status: 400, error: 'invalid_grant' },
    ],
    [
      'a password for a token (RFC 9700 section 2.4)',
      async () =>
        fromAnswer(
          await requestToken(house.url, client, {
            grant_type: 'password',
            username: customer.email,
            password: customer.password,
          }),
        ),
      { status: 400, error: 'unsupported_grant_type' },
    ],
  ])('%s', async (_name, attempt, refusal) => {
    expect(await attempt()).toEqual(refusal);
  });

  it('a code for the second time, and what the first time gave', async () => {
    const used = await connect(house, customer);
    expect((await callTool(house.url, used.accessToken)).status).toBe(200);
    const again = await redeem(house.url, used, used.code, used.verifier);
    expect(fromAnswer(again)).toEqual({ status: 400, error: 'invalid_grant' });
    expect(fromAnswer(await callTool(house.url, used.accessToken))).toMatchObject({
      status: 401,
      challenge: { error: 'invalid_token' },
    });
    expect(fromAnswer(await refresh(house.url, used, used.refreshToken))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
  });

  it('a replayed refresh token, and what its first use gave', async () => {
    const used = await connect(house, customer);
    const first = await refresh(house.url, used, used.refreshToken);
    expect(first.status).toBe(200);
    expect(fromAnswer(await refresh(house.url, used, used.refreshToken))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
    expect(fromAnswer(await refresh(house.url, used, String(first.body['refresh_token'])))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
    expect(fromAnswer(await callTool(house.url, String(first.body['access_token'])))).toMatchObject({
      status: 401,
      challenge: { error: 'invalid_token' },
    });
  });
});

function codeOf(redirect: URL): string {
  const code = redirect.searchParams.get('code');
  if (!code) throw new Error(`There is no code in ${redirect.search}.`);
  return code;
}

describe('the tools refuse', () => {
  /** The challenge that RFC 6750 and RFC 9728 require; for a request without a token, it contains no error. */
  const challenged = (error?: string): Refusal => ({
    status: 401,
    challenge: {
      resource_metadata: `${house.url}/.well-known/oauth-protected-resource/mcp`,
      scope: bothScopes,
      ...(error && { error }),
    },
  });
  const plain = async (answer: Promise<Answer>): Promise<Refusal> => {
    const { status, challenge } = fromAnswer(await answer);
    return { status, challenge };
  };
  const seconds = () => Math.floor(Date.now() / 1000);

  /** A token that is valid except for the given parts, signed with the server's own key. */
  function forge(
    claims: Readonly<Record<string, unknown>>,
    header: { alg?: string; typ?: string } = {},
    signingKey: SigningKey['privateKey'] | Uint8Array = key.privateKey,
  ): Promise<string> {
    return new SignJWT({ ...claimsOf(connection.accessToken), jti: crypto.randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })
      .sign(signingKey);
  }

  it('nothing about the token from which the forged ones are made', async () => {
    expect((await callTool(house.url, await forge({}))).status).toBe(200);
  });

  it.each<[string, () => Promise<string>]>([
    ['a token for another audience', () => forge({ aud: 'https://elsewhere.example/mcp' })],
    [
      'a token for us and another audience',
      () => forge({ aud: [house.resource, 'https://elsewhere.example/mcp'] }),
    ],
    ['a token of another issuer', () => forge({ iss: 'https://elsewhere.example' })],
    ['an expired token', () => forge({ iat: seconds() - 1_200, exp: seconds() - 600 })],
    ['a token without an end', () => forge({ exp: undefined })],
    ['a token whose type is another', () => forge({}, { typ: 'JWT' })],
    [
      'a token with another signature',
      async () => forge({}, {}, (await generateKeyPair('ES256')).privateKey),
    ],
    [
      'a token of another algorithm',
      async () => forge({}, { alg: 'RS256' }, (await generateKeyPair('RS256')).privateKey),
    ],
    [
      'a token signed with the public key as a secret',
      () => forge({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(key.publicJwk))),
    ],
    ['an unsigned token', async () => new UnsecuredJWT(claimsOf(connection.accessToken)).encode()],
    [
      'a token of an assistant that was never connected',
      () => forge({ assistant_id: 'asst_0190a1b2c3d47e5f8a9b0c1d2e3f4a5b' }),
    ],
    ['a refresh token', async () => connection.refreshToken],
  ])('%s', async (_name, token) => {
    expect(await plain(callTool(house.url, await token()))).toEqual(challenged('invalid_token'));
  });

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it.each<[string, () => Promise<Answer>]>([
    ['a request without a token', () => postMessage(house.resource, list)],
    [
      'a token in the query',
      () => postMessage(`${house.resource}?access_token=${connection.accessToken}`, list),
    ],
    ['an API key in x-api-key', () => postMessage(house.resource, list, { 'x-api-key': customer.apiKey })],
    ['an API key as a token', () => callTool(house.url, customer.apiKey)],
    ['an API key in the query', () => postMessage(`${house.resource}?api_key=${customer.apiKey}`, list)],
  ])('%s', async (_name, request) => {
    expect(await plain(request())).toEqual(challenged());
  });

  it('a request of another site', async () => {
    const answer = await callTool(house.url, connection.accessToken, undefined, undefined, {
      origin: 'https://evil.example',
    });
    expect(fromAnswer(answer).status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a tool for which the token has no scope, and says which it needs', async () => {
    const { accessToken } = await connect(house, customer, { scope: 'account.read' });
    const answer = callTool(house.url, accessToken, 'svc_validate_email', { email: 'ada@ordinary.example' });
    expect(await plain(answer)).toEqual({
      status: 403,
      challenge: {
        error: 'insufficient_scope',
        scope: expect.stringContaining('validation.run'),
        resource_metadata: `${house.url}/.well-known/oauth-protected-resource/mcp`,
      },
    });
  });
});

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('an account that may not use assistants', () => {
  it('is sent back with a sentence when it has no plan', async () => {
    const free = await house.customer({ plan: 'free', credits: 0 });
    const address = await authorizationUrl(house.url, client, newProof());
    const { redirect } = await signIn(house.browser(), address, free);
    expect(redirect.searchParams.get('error')).toBe('access_denied');
    expect(redirect.searchParams.get('error_description')).toBe(assistantRefusals.no_active_plan);
  });

  it('is refused at every call and at the refresh once it has lost its plan, and continues when it has it back', async () => {
    const lapsing = await house.customer({ plan: 'starter' });
    const connected = await connect(house, lapsing);
    expect(structuredContent(await callTool(house.url, connected.accessToken))).toMatchObject({ ok: true });
    await house.operate('account', 'lapse', lapsing.accountId);
    const call = await callTool(house.url, connected.accessToken);
    expect(call).toMatchObject({ status: 200, body: { result: { isError: true } } });
    expect(structuredContent(call)).toEqual({
      ok: false,
      status: 401,
      data: { error: assistantRefusals.no_active_plan },
      usage: emptyUsage,
    });
    const refused = await refresh(house.url, connected, connected.refreshToken);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: assistantRefusals.no_active_plan },
    });

    await house.operate('account', 'resume', lapsing.accountId);
    expect(structuredContent(await callTool(house.url, connected.accessToken))).toMatchObject({ ok: true });
    const refreshed = await refresh(house.url, connected, connected.refreshToken);
    expect(refreshed.status).toBe(200);
  });
});
