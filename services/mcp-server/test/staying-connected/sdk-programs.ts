import * as v2 from '@modelcontextprotocol/client';
import { type OAuthDiscoveryState, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { PagesProvider } from '../pages-provider.ts';
import type { ClientProgram, Kept } from './client-program.ts';

const statusCall = { name: 'svc_get_account_status', arguments: {} };

export const sdkV1: ClientProgram = {
  name: 'the SDK’s v1 client',
  sharesRefreshes: false,
  async connect({ stage: { house }, customer, documentUrl }) {
    const provider = new PagesProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      house,
      customer,
      { clientMetadataUrl: documentUrl, waits: true },
    );
    const newTransport = () => new V1Transport(new URL(house.resource), { authProvider: provider });
    const newClient = () => new V1Client({ name: 'v1 client', version: '1.0.0' });
    const first = newTransport();
    await expectUnauthorized(newClient().connect(first as never), UnauthorizedError);
    await provider.signIn();
    await first.finishAuth(String(provider.returned.get('code')));
    const client = newClient();
    const transport = newTransport();
    await client.connect(transport as never);
    return {
      callTool: async () => (await client.callTool(statusCall)).structuredContent,
      signInsAsked: () => provider.authorizationUrls.length,
      async signInAgain() {
        await provider.signIn();
        await transport.finishAuth(String(provider.returned.get('code')));
      },
      kept: async () => keptBy(provider),
      close: () => client.close(),
    };
  },
};

export const sdkV2Legacy = sdkV2('legacy', 'the SDK’s v2 client in the legacy era');
export const sdkV2Modern = sdkV2('auto', 'the SDK’s v2 client in the modern era');

function sdkV2(mode: 'legacy' | 'auto', name: string): ClientProgram {
  return {
    name,
    sharesRefreshes: false,
    async connect({ stage: { house }, customer, documentUrl }) {
      const provider = new PagesProvider<
        v2.StoredOAuthClientInformation,
        v2.StoredOAuthTokens,
        v2.OAuthDiscoveryState
      >(house, customer, { clientMetadataUrl: documentUrl, waits: true });
      const newTransport = () =>
        new v2.StreamableHTTPClientTransport(new URL(house.resource), { authProvider: provider });
      const newClient = () =>
        new v2.Client({ name: 'v2 client', version: '1.0.0' }, { versionNegotiation: { mode } });
      const first = newTransport();
      await expectUnauthorized(newClient().connect(first), v2.UnauthorizedError);
      await provider.signIn();
      await first.finishAuth(provider.returned);
      const client = newClient();
      const transport = newTransport();
      await client.connect(transport);
      return {
        callTool: async () => (await client.callTool(statusCall)).structuredContent,
        signInsAsked: () => provider.authorizationUrls.length,
        async signInAgain() {
          await provider.signIn();
          await transport.finishAuth(provider.returned);
        },
        kept: async () => keptBy(provider),
        close: () => client.close(),
      };
    },
  };
}

async function expectUnauthorized(
  attempt: Promise<unknown>,
  kind: abstract new (...args: never[]) => Error,
): Promise<void> {
  const error = await attempt.then(
    () => new Error('The client connected without a sign-in.'),
    cause => cause,
  );
  if (!(error instanceof kind)) throw error;
}

/** What the provider of an SDK client stores. */
export function keptBy(
  provider: PagesProvider<{ client_id: string }, { refresh_token?: string | undefined }, unknown>,
): Kept {
  const { client, tokens } = provider.kept;
  return { clientId: client?.client_id ?? '', refreshToken: tokens?.refresh_token ?? '' };
}
