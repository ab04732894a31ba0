import {
  createHealth,
  createLogger,
  createOperationClient,
  createServiceApp,
  createServiceGuard,
  createTokenSigner,
  mountHandlers,
  postgresCheck,
  type Service,
  schemaCheck,
} from '@mailproof/service-kit';
import { startOutboxWork } from '@mailproof/service-kit/jobs';
import { openRedis, redisCheck } from '@mailproof/service-kit/redis';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { keepSandboxRecords } from './adapters/postgres/sandbox-records.ts';
import { composeDiscovery, composeExportedRows } from './compose/discovery.ts';
import { composeKnownPeople } from './compose/known-people.ts';
import { composeLookalikeRanking, composeLookalikes } from './compose/lookalikes.ts';
import { composePeopleImports } from './compose/people-imports.ts';
import { composePeopleSearch } from './compose/people-search.ts';
import { composePrivacy } from './compose/privacy.ts';
import { composeProfiles } from './compose/profiles.ts';
import { composePublicPages, type OutsideOverrides } from './compose/public-pages.ts';
import type { Config } from './config.ts';
import { createEvents } from './events.ts';
import { exportedRowHandlers } from './http/exported-rows.ts';
import { profileHandlers } from './http/profiles.ts';

/** Overrides for tests. */
export interface Overrides {
  readonly now?: () => Date;
  /** How outside hosts are reached. */
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
  const peopleSearch = await composePeopleSearch({ config, pool: database.pool, events, now });
  const lookalikeRanking = composeLookalikeRanking(config, events);
  const publicPages = composePublicPages({
    config,
    pool: database.pool,
    redis,
    now,
    outside: overrides.outside,
  });
  const lookalikes = composeLookalikes({
    pool: database.pool,
    ranking: lookalikeRanking.ranking,
    publicPages,
    redis,
    now,
  });
  const discovery = composeDiscovery({
    config,
    pool: database.pool,
    ledgerPeer,
    indexOf: peopleSearch.indexOf,
    companyIndexOf: peopleSearch.companyIndexOf,
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
    publicPages,
  });
  const privacy = composePrivacy({ config, pool: database.pool, events, now });
  const peopleImports = composePeopleImports({ config, pool: database.pool, events, now });
  const knownPeople = composeKnownPeople(database.pool, events, now);
  let jobs: { close(): Promise<void> } | undefined;
  return {
    logger,
    health: {
      ...health,
      markStopping() {
        health.markStopping();
        discovery.markStopping();
        peopleImports.markStopping();
      },
    },
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: mountHandlers(
        'enrichment',
        { service: createServiceGuard('enrichment', config.SERVICE_PEER_KEYS) },
        {
          ...lookalikes.handlers,
          ...peopleSearch.handlers,
          ...discovery.handlers,
          ...peopleImports.handlers,
          ...profiles.handlers,
          ...profileHandlers(profiles.enrich, privacy.suppress),
          ...knownPeople.handlers,
          ...exportedRowHandlers(composeExportedRows(database.pool)),
        },
      ),
    }),
    needs: { redis: redisCheck(redis), schema: schemaCheck(database.pool, schema) },
    async start() {
      await keepSandboxRecords(database.pool);
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
        [...discovery.jobs, ...peopleImports.jobs],
      );
      discovery.start();
      peopleImports.start();
      profiles.start();
      privacy.start();
      knownPeople.start();
    },
    async stop() {
      await discovery.close();
      await peopleImports.close();
      await jobs?.close();
      await peopleSearch.close();
      await lookalikeRanking.close();
      await profiles.close();
      await publicPages?.close();
      await privacy.close();
      await knownPeople.close();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), database.close()]);
    },
  };
}
