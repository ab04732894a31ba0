import {
  assertSchema,
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  openRedis,
  postgresCheck,
  redisCheck,
  type Service,
  untilConnected,
} from '@mailproof/service-kit';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { composeDiscovery } from './compose/discovery.ts';
import { composePeopleSearch } from './compose/people-search.ts';
import type { Config } from './config.ts';
import { createEvents } from './events.ts';

const redisConnectDeadlineMs = 10_000;

/** What a test may set otherwise than the world has it. */
export interface Overrides {
  readonly now?: () => Date;
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
  const now = overrides.now ?? (() => new Date());
  const guardOf = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  const peopleSearch = composePeopleSearch({ config, events, now, guardOf });
  const discovery = composeDiscovery();
  const health = createHealth(
    { postgres: postgresCheck(database.pool), redis: redisCheck(redis) },
    peopleSearch.advisories,
  );
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [...peopleSearch.routes, ...discovery.routes],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(database.pool, schema);
      peopleSearch.start();
    },
    async stop() {
      await peopleSearch.close();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), database.close()]);
    },
  };
}
