import {
  assertSchema,
  createHealth,
  createLogger,
  createOperationClient,
  createRateLimiter,
  createSealer,
  createServiceApp,
  createTokenSigner,
  openRedis,
  postgresCheck,
  redisCheck,
  type Service,
  untilConnected,
} from '@mailproof/service-kit';
import { createAssistantStore } from './adapters/postgres/assistant-store.ts';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { createSigningKeyStore } from './adapters/postgres/signing-key-store.ts';
import { assistantRoutes } from './compose/assistant-routes.ts';
import { composeTools } from './compose/tools.ts';
import type { Config } from './config.ts';
import type { PublishedKeys } from './domain/access-token.ts';
import { createEvents } from './events.ts';

const redisConnectDeadlineMs = 10_000;

/** What a test may set otherwise than the world has it. */
export interface Overrides {
  readonly now?: () => Date;
  readonly publishedKeys?: PublishedKeys;
}

/** Builds the service from its settings; no background work runs before `start`. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const now = overrides.now ?? (() => new Date());
  const logger = createLogger({ service: 'mcp-server', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const database = openDatabase({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.databaseConnectionLost,
  });
  const redis = openRedis(config.REDIS_URL, events.redisConnectionLost);
  const sign = await createTokenSigner(config.SERVICE_SIGNING_KEY);
  const gatewayPeer = createOperationClient({ baseUrl: config.GATEWAY_URL, audience: 'gateway', sign });
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  const assistants = createAssistantStore(database.pool, now);
  const signingKeys = createSigningKeyStore(
    database.pool,
    createSealer(config.OAUTH_ENCRYPTION_KEYS, 'mailproof-signing-key'),
  );
  const tools = composeTools({
    config,
    events,
    now,
    rateLimiter: createRateLimiter(redis),
    gatewayPeer,
    health,
    publishedKeys:
      overrides.publishedKeys ??
      (async () => ({ keys: (await signingKeys.list()).map(({ publicJwk }) => ({ ...publicJwk })) })),
    findAssistant: assistants.find,
    noteAssistantUse: assistants.noteUse,
  });
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: `${config.PUBLIC_BASE_URL}/docs/errors/`,
      trustedProxies: config.TRUSTED_PROXIES,
      routes: [...assistantRoutes({ config, pool: database.pool, events, now })],
      mountPages: tools.mount,
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(database.pool, schema);
    },
    async stop() {
      await tools.close();
      redis.disconnect();
      await Promise.all([gatewayPeer.close(), database.close()]);
    },
  };
}
