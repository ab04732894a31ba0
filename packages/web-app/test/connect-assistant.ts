import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import type { AppHouse, Customer } from './app-house.ts';

/**
 * Registers a client with a name (RFC 7591), and authorizes it in the browser as the customer. Returns the client id,
 * with which the same client can be connected in another browser.
 */
export async function connectAssistant(
  { house }: AppHouse,
  { email, password }: Customer,
  name: string,
  { page }: OpenPage,
  known?: string,
): Promise<string> {
  const toolServer = house.toolServerUrls[0] ?? '';
  const program = createServer((_request, response) => response.end('Connected.')).listen(0, '127.0.0.1');
  await once(program, 'listening');
  const redirectUri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`;
  const post = async (path: string, body: string, type: string) => {
    const response = await fetch(`${toolServer}${path}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    const answer = (await response.json()) as Record<string, string>;
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
    return answer;
  };
  const found = await fetch(`${toolServer}/.well-known/oauth-authorization-server`);
  const metadata = (await found.json()) as Record<string, string>;
  const pathOf = (endpoint: string) => new URL(metadata[endpoint] ?? '').pathname;
  const registration = JSON.stringify({
    client_name: name,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
  const clientId =
    known ??
    (await post(pathOf('registration_endpoint'), registration, 'application/json'))['client_id'] ??
    '';
  const verifier = randomBytes(32).toString('base64url');
  const question = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'account.read validation.run',
    resource: `${toolServer}/mcp`,
    state: 'the state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  await page.goto(`${metadata['authorization_endpoint']}?${question}`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Connected.').waitFor();
  program.close();
  const code = new URL(page.url()).searchParams.get('code') ?? '';
  const grant = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  await post(pathOf('token_endpoint'), String(grant), 'application/x-www-form-urlencoded');
  return clientId;
}
