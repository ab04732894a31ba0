import { createTestDatabase, testRedisUrl, testServiceKeys } from '@mailproof/dev-house';
import { openPostgres, startService } from '@mailproof/service-kit';
import { type AccountId, type AssistantId, newId, type UserId } from '@mailproof/shared-types';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createAssistantStore, createEndAssistants } from '../src/adapters/postgres/assistant-store.ts';
import { compose, type Overrides } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { accessTokenSeconds } from '../src/domain/access-token.ts';
import { type StandInGateway, startStandInGateway } from './fake-gateway.ts';

/** The tool server in this process, with everything around it controlled by the test. */
export interface ToolServer {
  /** The address at which it listens. */
  readonly url: string;
  /** Its public address; nothing listens there unless a test sets another. */
  readonly publicUrl: string;
  readonly gateway: StandInGateway;
  readonly caller: ConnectedAssistant;
  /** Connects the assistant of another user, who has a separate account. */
  connect(): Promise<ConnectedAssistant>;
  disconnect(assistant: ConnectedAssistant): Promise<void>;
  /** Signs an access token as the authorization server does, except for the given claims and header. */
  token(options?: TokenOptions): Promise<string>;
  stop(): Promise<void>;
}

export interface ConnectedAssistant {
  readonly assistantId: AssistantId;
  readonly accountId: AccountId;
  readonly userId: UserId;
}

export interface TokenOptions {
  readonly assistant?: ConnectedAssistant;
  readonly scope?: string;
  readonly claims?: JWTPayload;
  /** Claims to leave out. */
  readonly without?: readonly string[];
  readonly header?: Readonly<Record<string, unknown>>;
  /** A key other than the published one. */
  readonly key?: Parameters<SignJWT['sign']>[0];
}

/** A key in the right format that is not valid for any account. */
export const testApiKey = 'mp_live_aTestKeyThatOpensNothing0123456789';

const ring = `one:${Buffer.alloc(32, 1).toString('base64')}`;
/** Nothing listens at this address. */
const defaultPublicUrl = 'http://127.0.0.1:9';

export async function startToolServer(
  settings: NodeJS.ProcessEnv = {},
  overrides: Overrides = {},
): Promise<ToolServer> {
  const [database, keys, gateway, pair] = await Promise.all([
    createTestDatabase('mcp-server'),
    testServiceKeys(),
    startStandInGateway(),
    generateKeyPair('ES256'),
  ]);
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: 'test', alg: 'ES256', use: 'sig' };
  const config = loadConfig({
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: await testRedisUrl('mcp-server'),
    GATEWAY_URL: gateway.url,
    MCP_PUBLIC_BASE_URL: defaultPublicUrl,
    PUBLIC_BASE_URL: 'http://127.0.0.1:8',
    OAUTH_ENCRYPTION_KEYS: ring,
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'silent',
    ...keys.settingsOf('mcp-server'),
    ...settings,
  });
  const running = await startService(
    await compose(config, { publishedKeys: async () => ({ keys: [publicJwk] }), ...overrides }),
    config,
  );
  const publicUrl = config.MCP_PUBLIC_BASE_URL;
  const pool = openPostgres({
    connectionString: database.databaseUrl,
    schema: 'mcp',
    applicationName: 'tool-server-test',
    connectionsMax: 2,
    onIdleError: () => undefined,
  });
  const store = createAssistantStore(pool, () => new Date());
  const connect = async (): Promise<ConnectedAssistant> => {
    const user = { accountId: newId('account'), userId: newId('user') };
    const assistantId = newId('assistant');
    await store.connect(
      {
        user,
        clientId: 'test-client',
        clientName: 'Test client',
        redirectHost: '127.0.0.1',
        scopes: ['account.read', 'validation.run'],
        deviceSha256: undefined,
        userAgent: '',
      },
      assistantId,
      new Date(),
    );
    return { ...user, assistantId };
  };
  const caller = await connect();
  return {
    url: `http://127.0.0.1:${running.port}`,
    publicUrl,
    gateway,
    caller,
    connect,
    disconnect: async ({ assistantId }) => void (await createEndAssistants(pool)({ assistantId })),
    async token({ assistant = caller, scope, claims, without = [], header, key } = {}) {
      const nowSeconds = Math.floor(Date.now() / 1_000);
      const all: JWTPayload = {
        iss: publicUrl,
        aud: `${publicUrl}/mcp`,
        sub: assistant.userId,
        client_id: 'test-client',
        scope: scope ?? 'account.read validation.run',
        iat: nowSeconds,
        exp: nowSeconds + accessTokenSeconds,
        jti: crypto.randomUUID(),
        assistant_id: assistant.assistantId,
        ...claims,
      };
      const kept = Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name)));
      return new SignJWT(kept)
        .setProtectedHeader({ alg: 'ES256', kid: 'test', typ: 'at+jwt', ...header })
        .sign(key ?? pair.privateKey);
    },
    async stop() {
      await running.stop();
      await pool.end();
      await Promise.all([gateway.close(), database.drop()]);
    },
  };
}
