import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  asRedisUser,
  createTestDatabase,
  type TestDatabase,
  testRedisUrl,
  testServiceKeys,
} from '@mailproof/dev-house';
import {
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  openPostgres,
  type RunningService,
  route,
  startService,
} from '@mailproof/service-kit';
import {
  type AssistantRefusal,
  checkPassword,
  getAssistantAccess,
  newId,
  recordAssistantConnected,
} from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { compose, type Overrides } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';

/** The public address of a test's tool servers, behind a proxy that terminates TLS, as in production. */
export const publicUrl = 'https://tools.mailproof.test';
export const applicationUrl = 'https://app.mailproof.test';
export const resource = `${publicUrl}/mcp`;
export const redirectUri = 'http://127.0.0.1:45454/callback';

export const person = {
  email: 'ada@ordinary.example',
  password: 'correct horse battery staple',
  accountId: newId('account'),
  userId: newId('user'),
  accountName: 'Ordinary <Ltd>',
};

/** The current responses of the fake gateway, and what it was told. */
export interface GatewayStandIn {
  access: 'ready' | AssistantRefusal | 'away';
  check: 'as typed' | { readonly lockedForMs: number; readonly count: 'user' | 'network' };
  signInIsOver: boolean;
  /** The gateway's clock. */
  readonly now: () => Date;
  readonly recorded: { readonly assistantId: string; readonly clientAddress: string }[];
}

export interface ToolServers {
  readonly gateway: GatewayStandIn;
  readonly pool: Pool;
  /** A connection as administrator. */
  readonly redis: Redis;
  readonly database: TestDatabase;
  readonly environment: NodeJS.ProcessEnv;
  /** Sends a request to one of the replicas, as a proxy that terminates TLS forwards it. */
  send(path: string, init?: RequestInit, replica?: number): Promise<Response>;
  stop(): Promise<void>;
}

/** Starts tool servers with their own database, and a gateway whose responses the test controls. */
export async function startToolServers(
  options: { replicas?: number; overrides?: Overrides; env?: NodeJS.ProcessEnv } = {},
): Promise<ToolServers> {
  const database = await createTestDatabase('mcp-server');
  const keys = await testServiceKeys();
  const gateway: GatewayStandIn = {
    access: 'ready',
    check: 'as typed',
    signInIsOver: false,
    now: options.overrides?.now ?? (() => new Date()),
    recorded: [],
  };
  const gatewayServer = await startGateway(gateway, keys.settingsOf('gateway').SERVICE_PEER_KEYS);
  const ring = (fill: number) => `ring-${fill}:${Buffer.alloc(32, fill).toString('base64')}`;
  const redisUrl = await testRedisUrl();
  const environment: NodeJS.ProcessEnv = {
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.databaseUrl,
    REDIS_URL: asRedisUser('mcp-server', redisUrl),
    GATEWAY_URL: addressOf(gatewayServer),
    MCP_PUBLIC_BASE_URL: publicUrl,
    PUBLIC_BASE_URL: applicationUrl,
    TRUSTED_PROXIES: 'loopback',
    OAUTH_ENCRYPTION_KEYS: ring(2),
    OAUTH_REQUESTS_PER_MINUTE_MAX: '10000',
    OAUTH_REGISTRATIONS_PER_HOUR_MAX: '10000',
    OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
    ...keys.settingsOf('mcp-server'),
    ...options.env,
  };
  const config = loadConfig(environment);
  const running: RunningService[] = await Promise.all(
    Array.from({ length: options.replicas ?? 1 }, async () =>
      startService(await compose(config, options.overrides), config),
    ),
  );
  const pool = openPostgres({
    connectionString: database.ownerUrl,
    schema: 'mcp',
    applicationName: 'authorization-server-test',
    connectionsMax: 4,
    onIdleError: () => undefined,
  });
  const redis = new Redis(redisUrl);
  return {
    gateway,
    pool,
    redis,
    database,
    environment,
    send(path, init = {}, replica = 0) {
      return fetch(`http://127.0.0.1:${running[replica]?.port}${path}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(20_000),
        ...init,
        headers: {
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'evil.example',
          ...(init.headers as Record<string, string> | undefined),
        },
      });
    },
    async stop() {
      await Promise.all(running.map(service => service.stop()));
      redis.disconnect();
      await pool.end();
      gatewayServer.closeAllConnections();
      await new Promise(resolve => gatewayServer.close(resolve));
      await database.drop();
    },
  };
}

/** Serves the gateway's operations according to its contracts; all other requests get 404. */
async function startGateway(says: GatewayStandIn, peers: string): Promise<Server> {
  const guard = createServiceGuard('gateway', JSON.parse(peers));
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const app = createServiceApp({
    logger,
    health: createHealth({}),
    problemTypeBase: '',
    routes: [
      route(checkPassword, guard(checkPassword), async ({ body }) => {
        if (says.check !== 'as typed') {
          const { lockedForMs: retryInMs, count } = says.check;
          return { kind: 'locked' as const, retryInMs, count };
        }
        return body.email === person.email && body.password === person.password
          ? {
              kind: 'accepted' as const,
              signInId: '7',
              device: body.device ?? crypto.randomUUID(),
              ...person,
            }
          : { kind: 'refused' as const };
      }),
      route(getAssistantAccess, guard(getAssistantAccess), async () => {
        if (says.access === 'away') {
          throw new Error('The gateway is away.');
        }
        return says.access === 'ready'
          ? { kind: 'ready' as const, accountName: person.accountName, email: person.email }
          : { kind: 'refused' as const, reason: says.access };
      }),
      route(recordAssistantConnected, guard(recordAssistantConnected), async ({ body }) => {
        if (says.signInIsOver) {
          return { kind: 'sign_in_over' as const };
        }
        says.recorded.push({ assistantId: body.assistantId, clientAddress: body.clientAddress });
        return { kind: 'recorded' as const, connectedAt: says.now().toISOString() };
      }),
    ],
  });
  const server = createServer(app);
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
