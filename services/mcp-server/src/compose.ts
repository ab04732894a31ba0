import {
  createFailureCount,
  createHealth,
  createLogger,
  createOperationClient,
  createPublicServiceApps,
  createRateLimiter,
  createTokenSigner,
  postgresCheck,
  rememberRefusals,
  type Service,
  schemaCheck,
} from '@mailproof/service-kit';
import { openRedis, redisCheck } from '@mailproof/service-kit/redis';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { assistantRoutes } from './compose/assistant-routes.ts';
import { composeAuthorizationServer } from './compose/authorization-server.ts';
import { composeTools } from './compose/tools.ts';
import type { Config } from './config.ts';
import type { PublishedKeys } from './domain/access-token.ts';
import { createEvents } from './events.ts';

/** Values that a test can override. */
export interface Overrides {
  readonly now?: () => Date;
  readonly publishedKeys?: PublishedKeys;
  /** A certificate authority, as PEM, whose sites may publish clients' metadata documents. */
  readonly extraCa?: string;
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
  const gateway = { baseUrl: config.GATEWAY_URL, audience: 'gateway', sign } as const;
  const gatewayPeer = createOperationClient(gateway);
  const toolPeer = createOperationClient(gateway);
  const rateLimiter = createRateLimiter(redis, 'mcp-server');
  const windows = rememberRefusals(rateLimiter);
  const countFailure = createFailureCount({
    rateLimiter: windows,
    subject: 'mcp-failures',
    perMinuteMax: config.AUTH_FAILURES_PER_MINUTE_MAX,
  });
  const authorizationServer = composeAuthorizationServer({
    config,
    pool: database.pool,
    redis,
    gatewayPeer,
    windows,
    events,
    now,
    extraCa: overrides.extraCa,
  });
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  const tools = composeTools({
    config,
    events,
    now,
    windows,
    rateLimiter,
    countFailure,
    gatewayPeer,
    toolPeer,
    health,
    publishedKeys: overrides.publishedKeys ?? authorizationServer.publishedKeys,
    findAssistant: authorizationServer.findAssistant,
    noteAssistantUse: authorizationServer.noteAssistantUse,
  });
  return {
    logger,
    health,
    ...createPublicServiceApps({
      logger,
      health,
      problemTypeBase: `${config.PUBLIC_BASE_URL}/docs/errors/`,
      publicBaseUrl: config.MCP_PUBLIC_BASE_URL,
      trustedProxies: config.TRUSTED_PROXIES,
      countFailure,
      routes: [...assistantRoutes({ config, pool: database.pool, events, countFailure, now })],
      mountPages: app => {
        tools.mount(app);
        authorizationServer.mount(app);
      },
    }),
    needs: { redis: redisCheck(redis), schema: schemaCheck(database.pool, schema) },
    async start() {
      await authorizationServer.start();
    },
    async stop() {
      await tools.close();
      await authorizationServer.stop();
      redis.disconnect();
      await Promise.all([gatewayPeer.close(), toolPeer.close(), database.close()]);
    },
  };
}
