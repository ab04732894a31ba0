import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { auth, type OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { freePort } from '../../loopback-proxy.ts';
import { signInAndFollow } from '../../mcp-remote.ts';
import { register } from '../../oauth-client.ts';
import { PagesProvider } from '../../pages-provider.ts';
import type { ClientProgram } from '../client-program.ts';
import { keptBy } from '../sdk-programs.ts';

/*
 * The packages of these programs are in this folder's own lockfile, not in that of the workspace. So they are loaded by
 * path, and the parts that the tests use are declared here.
 */

interface LangChain {
  readonly MultiServerMCPClient: new (
    servers: Readonly<Record<string, { transport: 'http'; url: string; authProvider: object }>>,
  ) => {
    getTools(): Promise<{ name: string; invoke(input: object): Promise<unknown> }[]>;
    close(): Promise<void>;
  };
}

interface Mastra {
  readonly InMemoryOAuthStorage: new () => { get(key: string): string | undefined };
  readonly MCPOAuthClientProvider: new (options: object) => object;
  readonly MCPClient: new (options: {
    id: string;
    servers: Readonly<Record<string, { url: URL; authProvider: object }>>;
  }) => {
    authenticate(server: string): Promise<void>;
    listTools(): Promise<
      Record<string, { execute(input: object, context: object): Promise<unknown> } | undefined>
    >;
    disconnect(): Promise<void>;
  };
}

const statusTool = 'svc_get_account_status';

export const langChain: ClientProgram = {
  name: 'LangChain’s adapters',
  sharesRefreshes: false,
  async connect({ stage: { house }, customer, documentUrl }) {
    const { MultiServerMCPClient } = await load<LangChain>('@langchain/mcp-adapters');
    const provider = new PagesProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(
      house,
      customer,
      { clientMetadataUrl: documentUrl, waits: true },
    );
    const open = () =>
      new MultiServerMCPClient({
        mailproof: { transport: 'http', url: house.resource, authProvider: provider },
      });
    // The adapters leave the exchange of the code to the application, which calls the SDK for it.
    const exchange = () =>
      auth(provider, {
        serverUrl: house.resource,
        authorizationCode: String(provider.returned.get('code')),
      });
    const refused = open();
    await refused.getTools().then(
      () => Promise.reject(new Error('The client connected without a sign-in.')),
      () => refused.close(),
    );
    await provider.signIn();
    await exchange();
    const client = open();
    const tool = (await client.getTools()).find(({ name }) => name === statusTool);
    if (!tool) throw new Error('The status tool is not listed.');
    return {
      callTool: async () => structuredContentOf(await tool.invoke({})),
      signInsAsked: () => provider.authorizationUrls.length,
      async signInAgain() {
        await provider.signIn();
        await exchange();
      },
      kept: async () => keptBy(provider),
      close: () => client.close(),
    };
  },
};

/** It uses a metadata document or a given client id; it never registers itself. */
export const mastra: ClientProgram = {
  name: 'Mastra',
  sharesRefreshes: false,
  async connect({ stage: { house }, customer, documentUrl }) {
    const { InMemoryOAuthStorage, MCPOAuthClientProvider, MCPClient } = await load<Mastra>('@mastra/mcp');
    const redirectUrl = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const metadata = { client_name: 'Mastra', redirect_uris: [redirectUrl] };
    const clientId = documentUrl ?? (await register(house.url, metadata)).clientId;
    const storage = new InMemoryOAuthStorage();
    const asked: URL[] = [];
    let follows = false;
    const provider = new MCPOAuthClientProvider({
      redirectUrl,
      clientMetadata: metadata,
      ...(documentUrl ? { clientMetadataUrl: documentUrl } : { clientInformation: { client_id: clientId } }),
      storage,
      onRedirectToAuthorization: async (url: URL) => {
        asked.push(url);
        if (follows) await signInAndFollow({ house, customer }, url.href);
      },
    });
    const client = new MCPClient({
      id: redirectUrl,
      servers: { mailproof: { url: new URL(house.resource), authProvider: provider } },
    });
    async function signIn() {
      follows = true;
      await client.authenticate('mailproof');
      follows = false;
      const listed = (await client.listTools())[`mailproof_${statusTool}`];
      if (!listed) throw new Error('The status tool is not listed.');
      return listed;
    }
    let tool = await signIn();
    return {
      callTool: () => tool.execute({}, {}),
      signInsAsked: () => asked.length,
      async signInAgain() {
        // While it is connected, it assumes that its user has signed in.
        await client.disconnect();
        tool = await signIn();
      },
      async kept() {
        const tokens = JSON.parse(storage.get('tokens') ?? '{}') as { refresh_token?: string };
        return { clientId, refreshToken: tokens.refresh_token ?? '' };
      },
      close: () => client.disconnect(),
    };
  },
};

const { resolve } = createRequire(import.meta.url);

async function load<Package>(name: string): Promise<Package> {
  return import(pathToFileURL(resolve(name)).href);
}

/** A tool of the adapters returns one text block and the structured content. */
function structuredContentOf(answer: unknown): unknown {
  return (answer as { readonly structuredContent?: unknown }).structuredContent;
}
