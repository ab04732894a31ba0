import {
  assertSchema,
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  createTokenSigner,
  openRedis,
  postgresCheck,
  redisCheck,
  type Service,
  untilConnected,
} from '@mailproof/service-kit';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { composeDiscovery } from './compose/discovery.ts';
import { composeLookalikeRanking } from './compose/lookalike-ranking.ts';
import { composePrivacy } from './compose/privacy.ts';
import { composeProfiles, type OutsideOverrides } from './compose/profiles.ts';
import type { Config } from './config.ts';
import { createEvents } from './events.ts';

const redisConnectDeadlineMs = 10_000;

/** What a test may set otherwise than the world has it. */
export interface Overrides {
  readonly now?: () => Date;
  /** How hosts outside are reached. */
  readonly outside?: OutsideOverrides;
}

/** Builds the service from its settings; no background work runs before `start`. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const logger = createLogger({ service: 'enrichment', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const database = openDatabase({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.databaseConnectionLost,
  });
  const redis = openRedis(config.REDIS_URL, events.redisConnectionLost);
  const sign = await createTokenSigner(config.SERVICE_SIGNING_KEY);
  const ledgerPeer = createOperationClient({
    baseUrl: config.CREDIT_LEDGER_URL,
    audience: 'credit-ledger',
    sign,
  });
  const discovery = composeDiscovery();
  const now = overrides.now ?? (() => new Date());
  const { outside } = overrides;
  const profiles = composeProfiles({ config, pool: database.pool, redis, events, now, outside });
  const privacy = composePrivacy({ config, pool: database.pool, events, now });
  const lookalikes = composeLookalikeRanking(config, events);
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [...discovery.routes, ...profiles.routes, ...privacy.routes],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(database.pool, schema);
      lookalikes.start();
      profiles.start();
      privacy.start();
    },
    async stop() {
      await profiles.close();
      await privacy.close();
      await lookalikes.close();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), database.close()]);
    },
  };
}
