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
import { createRowSources } from './adapters/peers/row-sources.ts';
import { createImportStore } from './adapters/postgres/crm-import-store.ts';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { composeCrm, createCrmAdapters, type OpenCrms } from './compose/crm.ts';
import { composeCrmImports } from './compose/crm-imports.ts';
import { composeCrmPushes } from './compose/crm-pushes.ts';
import { composeExports, isSourceGone } from './compose/exports.ts';
import { composeOutcomeSources } from './compose/outcome-sources.ts';
import { composePushes, type OutsideOverrides, openWays } from './compose/pushes.ts';
import { composeWebhookEvents } from './compose/webhook-events.ts';
import type { Config } from './config.ts';
import { deliveryByTarget } from './domain/exports/row-delivery.ts';
import { createEvents } from './events.ts';

/** Dependencies that a test may override. */
export interface Overrides {
  readonly now?: () => Date;
  readonly outside?: OutsideOverrides;
  readonly crmAdapters?: OpenCrms;
}

/** Builds the service from its settings; no background work runs before `start`. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const logger = createLogger({ service: 'webhook-dispatcher', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const database = openDatabase({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.databaseConnectionLost,
  });
  const redis = openRedis(config.REDIS_URL, events.redisConnectionLost);
  const sign = await createTokenSigner(config.SERVICE_SIGNING_KEY);
  const enginePeer = createOperationClient({
    baseUrl: config.VALIDATION_ENGINE_URL,
    audience: 'validation-engine',
    sign,
  });
  const enrichmentPeer = createOperationClient({
    baseUrl: config.ENRICHMENT_URL,
    audience: 'enrichment',
    sign,
  });
  const ledgerPeer = createOperationClient({
    baseUrl: config.CREDIT_LEDGER_URL,
    audience: 'credit-ledger',
    sign,
  });
  const shared = { config, pool: database.pool, events, now: overrides.now ?? (() => new Date()) };
  const ways = openWays(config, overrides.outside);
  const pushes = composePushes({ ...shared, redis, ways });
  const crms = composeCrm({
    ...shared,
    ways,
    adapters: { ...createCrmAdapters(ways, shared.now), ...overrides.crmAdapters },
  });
  const webhookEvents = composeWebhookEvents({ ...shared, ways, enginePeer, enrichmentPeer, ledgerPeer });
  const outcomeSources = composeOutcomeSources({ ...shared, redis, ways, enginePeer });
  const importStore = createImportStore(database.pool);
  const crmPushes = composeCrmPushes({
    ...shared,
    connected: crms.connected,
    sources: createRowSources({ engine: enginePeer, enrichment: enrichmentPeer }),
    isSourceGone,
  });
  const delivery = deliveryByTarget({ webhook: pushes.delivery, crm: crmPushes.delivery });
  const exports = composeExports({
    ...shared,
    enginePeer,
    enrichmentPeer,
    delivery,
    pushes,
    crmPushes,
    crms: {
      forgetAccount: async accountId =>
        (await crms.forgetAccount(accountId)) +
        (await importStore.deleteOfAccount(accountId)) +
        (await webhookEvents.forgetAccount(accountId)) +
        (await outcomeSources.forgetAccount(accountId)),
    },
  });
  const imports = composeCrmImports({
    ...shared,
    imports: importStore,
    enginePeer,
    enrichmentPeer,
    connected: crms.connected,
    exports: exports.ports,
  });
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  let jobs: { close(): Promise<void> } | undefined;
  return {
    logger,
    health: {
      ...health,
      markStopping() {
        health.markStopping();
        exports.markStopping();
        imports.markStopping();
        crmPushes.markStopping();
        webhookEvents.markStopping();
      },
    },
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: mountHandlers(
        'webhook-dispatcher',
        { service: createServiceGuard('webhook-dispatcher', config.SERVICE_PEER_KEYS) },
        {
          ...exports.handlers,
          ...pushes.handlers(exports.ports),
          ...crms.handlers,
          ...crmPushes.handlers,
          ...imports.handlers,
          ...webhookEvents.handlers,
          ...outcomeSources.handlers,
        },
      ),
    }),
    needs: { redis: redisCheck(redis), schema: schemaCheck(database.pool, schema) },
    async start() {
      jobs = startOutboxWork(
        {
          pool: database.pool,
          redis,
          redisUrl: config.REDIS_URL,
          logger,
          onRedisError: events.redisConnectionLost,
          intervalMs: config.OUTBOX_INTERVAL_MS,
        },
        [...exports.jobs, ...crms.jobs, ...crmPushes.jobs, ...imports.jobs, ...webhookEvents.jobs],
      );
      exports.start();
      crms.start();
      crmPushes.start();
      imports.start();
      webhookEvents.start();
      outcomeSources.start();
    },
    async stop() {
      await exports.close();
      await crmPushes.close();
      await imports.close();
      await webhookEvents.close();
      await outcomeSources.close();
      await jobs?.close();
      await crms.close();
      await Promise.all([ways.https.close(), ways.http.close()]);
      redis.disconnect();
      await Promise.all([enginePeer, enrichmentPeer, ledgerPeer, database].map(each => each.close()));
    },
  };
}
