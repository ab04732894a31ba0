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
  startOutboxWork,
  untilConnected,
} from '@mailproof/service-kit';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { composeDiscovery } from './compose/discovery.ts';
import { composeExportedRows } from './compose/exported-rows.ts';
import { composeLookalikeRanking } from './compose/lookalike-ranking.ts';
import { composeLookalikes } from './compose/lookalikes.ts';
import { composePeopleSearch } from './compose/people-search.ts';
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
  const now = overrides.now ?? (() => new Date());
  const guardOf = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  const peopleSearch = composePeopleSearch({ config, events, now, guardOf });
  const lookalikeRanking = composeLookalikeRanking(config, events);
  const lookalikes = composeLookalikes({
    pool: database.pool,
    guardOf,
    ranking: lookalikeRanking.ranking,
    startRun: request => discovery.startRun(request),
    now,
  });
  const discovery = composeDiscovery({
    config,
    pool: database.pool,
    ledgerPeer,
    peopleIndex: peopleSearch.index,
    deliveries: [lookalikes.delivery],
    events,
    now,
  });
  const health = createHealth(
    { postgres: postgresCheck(database.pool), redis: redisCheck(redis) },
    peopleSearch.advisories,
  );
  const profiles = composeProfiles({
    config,
    pool: database.pool,
    redis,
    events,
    now,
    outside: overrides.outside,
  });
  const privacy = composePrivacy({ config, pool: database.pool, events, now });
  let jobs: { close(): Promise<void> } | undefined;
  return {
    logger,
    health: {
      ...health,
      markStopping() {
        health.markStopping();
        discovery.markStopping();
      },
    },
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [
        ...peopleSearch.routes,
        ...discovery.routes,
        ...lookalikes.routes,
        ...profiles.routes,
        ...privacy.routes,
        ...composeExportedRows(database.pool, guardOf).routes,
      ],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(database.pool, schema);
      peopleSearch.start();
      lookalikeRanking.start();
      jobs = startOutboxWork(
        {
          pool: database.pool,
          redis,
          redisUrl: config.REDIS_URL,
          logger,
          onRedisError: events.redisConnectionLost,
          intervalMs: config.OUTBOX_INTERVAL_MS,
        },
        [...discovery.jobs],
      );
      discovery.start();
      profiles.start();
      privacy.start();
    },
    async stop() {
      await discovery.close();
      await jobs?.close();
      await peopleSearch.close();
      await lookalikeRanking.close();
      await profiles.close();
      await privacy.close();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), database.close()]);
    },
  };
}
