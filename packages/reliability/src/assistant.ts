import type { Customer } from '@mailproof/dev-house';
import { Browser, signIn } from '@mailproof/dev-house/sign-in-browser';
import * as oauth from 'oauth4webapi';
import { expectStatus, Refused } from './ask.ts';

/** An AI assistant that a customer has connected. */
export interface Assistant {
  /** Validates an address with the tool. @throws Refused when the tool reports a failure */
  validate(email: string, signal: AbortSignal): Promise<ToolVerdict>;
  /** Gets a new access token; the previous one remains valid for some minutes. */
  renew(): Promise<void>;
  /** The headers for a tool call. */
  headers(): Readonly<Record<string, string>>;
}

export interface ToolVerdict {
  readonly result: string;
  readonly creditsConsumed: number | null;
}

interface Envelope {
  readonly ok: boolean;
  readonly status: number;
  readonly data: { readonly result?: string; readonly error?: string };
  readonly usage: { readonly creditsConsumed: number | null };
}

const redirectUri = 'http://127.0.0.1:45454/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

/** Registers an assistant and connects it through the pages, as a user does (RFC 7591, RFC 7636). */
export async function connectAssistant(url: string, customer: Customer): Promise<Assistant> {
  const issuer = new URL(url);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      {
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        client_name: 'Reliability',
      },
      insecure,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'account.read validation.run',
    resource: `${issuer.origin}/mcp`,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const { redirect } = await signIn(new Browser([url]), address, customer);
  const parameters = oauth.validateAuthResponse(server, client, redirect, state);
  let tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    ),
  );
  return {
    validate: (email, signal) => callTool(url, headersWith(tokens.access_token), email, signal),
    headers: () => headersWith(tokens.access_token),
    async renew() {
      tokens = await oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(
          server,
          client,
          oauth.None(),
          tokens.refresh_token ?? '',
          insecure,
        ),
      );
    },
  };
}

/** The headers of a plain message from a client of protocol revision 2025-11-25. */
function headersWith(accessToken: string): Record<string, string> {
  return {
    authorization: `Bearer ${accessToken}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  };
}

export function validationCall(email: string): object {
  const params = { name: 'svc_validate_email', arguments: { email } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

async function callTool(
  url: string,
  headers: Readonly<Record<string, string>>,
  email: string,
  signal: AbortSignal,
): Promise<ToolVerdict> {
  const body = JSON.stringify(validationCall(email));
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body, signal });
  const text = await expectStatus(response, 200);
  const message = JSON.parse(/^data: ?(\{.*)$/m.exec(text)?.[1] ?? text) as {
    readonly result?: { readonly structuredContent?: Envelope };
  };
  const envelope = message.result?.structuredContent;
  if (!envelope?.ok) {
    throw new Refused(envelope?.status ?? 500, envelope?.data.error ?? text.slice(0, 300));
  }
  return { result: envelope.data.result ?? '', creditsConsumed: envelope.usage.creditsConsumed };
}
