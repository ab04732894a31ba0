import { setTimeout } from 'node:timers/promises';
import {
  assertSchema,
  createFailureCount,
  createHealth,
  createLogger,
  createOperationClient,
  createPublicServiceApps,
  createRateLimiter,
  createTokenSigner,
  openRedis,
  Problem,
  postgresCheck,
  redisCheck,
  rememberRefusals,
  type Service,
  untilConnected,
} from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import { readCsv } from './adapters/csv/read-csv.ts';
import { createKeySealer } from './adapters/jose/key-sealer.ts';
import { createCreditLedgerClient } from './adapters/peers/credit-ledger.ts';
import { createProfilesClient } from './adapters/peers/profiles.ts';
import { createValidationEngineClient } from './adapters/peers/validation-engine.ts';
import { createChargeNotes } from './adapters/postgres/charge-notes.ts';
import { createIdempotencyStore } from './adapters/postgres/idempotency-store.ts';
import { createKeyLookup } from './adapters/postgres/key-lookup.ts';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { isOfGoneAccount } from './adapters/postgres/write-faults.ts';
import { composeAccountViews } from './compose/account-views.ts';
import { composeAssistants } from './compose/assistants.ts';
import { composeBilling } from './compose/billing.ts';
import { composeCrms } from './compose/crms.ts';
import { composeDiscovery } from './compose/discovery.ts';
import { composeLists } from './compose/lists.ts';
import { composeOptOuts } from './compose/opt-outs.ts';
import { composeRestRoutes } from './compose/rest-routes.ts';
import { composeUsers } from './compose/users.ts';
import type { Config } from './config.ts';
import { createChargeCollector } from './domain/charging/collect-charges.ts';
import { enrichProfile } from './domain/charging/enrich-profile.ts';
import { validateSingleEmail } from './domain/charging/validate-single-email.ts';
import { uploadOutcomes } from './domain/outcomes/upload-outcomes.ts';
import { createEvents } from './events.ts';
import { checkAddressRoute } from './http/check-address.ts';
import { createAccountAdmission } from './http/guards/admit-account.ts';
import { createApiKeyGuard } from './http/guards/api-key-guard.ts';
import { createPublicGuard } from './http/guards/public-guard.ts';
import { refusingGoneAccount } from './http/refusing-gone-account.ts';
import { requestDoNotProbeRoute } from './http/request-do-not-probe.ts';
import { type UploadOutcomes, uploadOutcomesSignedInRoute } from './http/upload-outcomes.ts';
import type { Validate } from './http/validate-single-email.ts';
import { mountPages } from './pages/mount.ts';
import { startBackgroundWork } from './workers/start.ts';
import { startIdempotencySweep } from './workers/sweep-idempotency.ts';

export { composeOperator, type Operator } from './compose/operator.ts';

const redisConnectDeadlineMs = 10_000;
const ledgerCallDeadlineMs = 5_000;
/** A hold outlives its validation by this much, so that only a lost one ever expires. */
const holdMarginMs = 60_000;
/** Beside the engine's deadline, an attempt waits for the ledger twice and for the engine's answer on its way. */
const attemptMarginMs = 20_000;

/** What a test may set otherwise than the world has it. */
export interface Overrides {
  readonly now?: () => Date;
}

/** Builds the service from its settings; no background work runs before `start`. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<Service> {
  const now = overrides.now ?? (() => new Date());
  const logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL });
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
  const enginePeer = createOperationClient({
    baseUrl: config.VALIDATION_ENGINE_URL,
    audience: 'validation-engine',
    sign,
  });
  const toolServerPeer = createOperationClient({
    baseUrl: config.MCP_SERVER_URL,
    audience: 'mcp-server',
    sign,
  });
  const enrichmentPeer = createOperationClient({
    baseUrl: config.ENRICHMENT_URL,
    audience: 'enrichment',
    sign,
  });
  const dispatcherPeer = createOperationClient({
    baseUrl: config.WEBHOOK_DISPATCHER_URL,
    audience: 'webhook-dispatcher',
    sign,
  });
  const credits = createCreditLedgerClient(ledgerPeer, {
    callDeadlineMs: ledgerCallDeadlineMs,
    holdExpiresInMs: config.VALIDATION_DEADLINE_MS + holdMarginMs,
  });
  const engine = createValidationEngineClient(enginePeer, config.VALIDATION_DEADLINE_MS);
  const attemptMsMax = config.VALIDATION_DEADLINE_MS + attemptMarginMs;
  const ports = { credits, engine, attemptMsMax };
  const profileAttemptMsMax = limits.profileDeadlineMs + attemptMarginMs;
  const profilePorts = {
    credits: createCreditLedgerClient(ledgerPeer, {
      callDeadlineMs: ledgerCallDeadlineMs,
      holdExpiresInMs: limits.profileDeadlineMs + holdMarginMs,
    }),
    profiles: createProfilesClient(enrichmentPeer),
    attemptMsMax: profileAttemptMsMax,
    isExhausted: (error: unknown) => error instanceof Problem && error.code === 'credits_exhausted',
  };
  const collector = createChargeCollector({ credits, ...createChargeNotes(database.pool), wait: setTimeout });
  const records = createIdempotencyStore(database.pool);
  const sealer = createKeySealer(config.KEY_ENCRYPTION_KEYS);
  const rateLimiter = createRateLimiter(redis, 'gateway');
  const windows = rememberRefusals(rateLimiter);
  const countFailure = createFailureCount({
    rateLimiter: windows,
    subject: 'failures',
    perMinuteMax: config.AUTH_FAILURES_PER_MINUTE_MAX,
  });
  const admit = createAccountAdmission(windows);
  const apiKeyGuard = createApiKeyGuard({
    lookUpKey: createKeyLookup(database.pool),
    admit,
    countFailure,
  });
  const charging = { records, credits, collector, attemptMsMax };
  const publicGuard = createPublicGuard({
    rateLimiter: windows,
    requestsPerHourMax: config.PUBLIC_REQUESTS_PER_HOUR_MAX,
  });
  const users = composeUsers({
    config,
    pool: database.pool,
    rateLimiter,
    windows,
    countFailure,
    events,
    now,
  });
  const billing = composeBilling({ ...users, config, prisma: database.prisma, sealer, events, now });
  const views = composeAccountViews({
    ...users,
    ...database,
    ledgerPeer,
    enginePeer,
    toolServerPeer,
    enrichmentPeer,
    dispatcherPeer,
    events,
    now,
  });
  const discovery = composeDiscovery({ ...users, enrichmentPeer });
  const lists = composeLists({ ...users, enginePeer, dispatcherPeer });
  const crms = composeCrms({ ...users, dispatcherPeer });
  const optOuts = composeOptOuts({ ...users, pool: database.pool, enrichmentPeer });
  const validate: Validate = async request => {
    const outcome = await validateSingleEmail(ports, request);
    events.validated(request.accountId, request.runId, outcome);
    return outcome;
  };
  const upload: UploadOutcomes = async (accountId, csv, signal) => {
    const uploadPorts = { report: engine.report, nowMs: Date.now };
    const outcome = await uploadOutcomes(uploadPorts, accountId, readCsv(csv), signal);
    events.outcomesUploaded(accountId, outcome);
    return outcome;
  };
  const restRoutes = composeRestRoutes({
    availableCredits: credits.available,
    validate,
    enrich: request => enrichProfile(profilePorts, request),
    upload,
    charging,
    enrichmentMsMax: profileAttemptMsMax,
  });
  const assistants = composeAssistants({
    ...users,
    config,
    pool: database.pool,
    toolServerPeer,
    admit,
    restRoutes,
    countFailure,
    now,
  });
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  let idempotencySweep: { close(): Promise<void> } | undefined;
  let background: { close(): Promise<void> } | undefined;
  let renewer: { close(): Promise<void> } | undefined;
  return {
    logger,
    health,
    ...createPublicServiceApps({
      logger,
      health,
      problemTypeBase: `${config.PUBLIC_BASE_URL}/docs/errors/`,
      publicBaseUrl: config.PUBLIC_BASE_URL,
      trustedProxies: config.TRUSTED_PROXIES,
      uploadBytesPerSecondMin: config.UPLOAD_BYTES_PER_SECOND_MIN,
      countFailure,
      routes: [
        ...restRoutes(() => apiKeyGuard),
        checkAddressRoute(users.sessionGuard, charging, validate),
        requestDoNotProbeRoute(publicGuard, engine.recordDoNotProbe),
        uploadOutcomesSignedInRoute(users.sessionGuard, upload),
        ...users.routes,
        ...billing.routes,
        ...views.routes,
        ...assistants.routes,
        ...optOuts.routes,
        ...discovery.routes,
        ...lists.routes,
        ...crms.routes,
      ].map(route => refusingGoneAccount(route, isOfGoneAccount)),
      mountPages,
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(database.pool, schema);
      idempotencySweep = startIdempotencySweep(records, events.idempotencySweepFailed);
      background = startBackgroundWork({
        pool: database.pool,
        redis,
        redisUrl: config.REDIS_URL,
        credits,
        logger,
        onRedisError: events.redisConnectionLost,
        intervalMs: config.OUTBOX_INTERVAL_MS,
        jobs: [...users.jobs, ...views.jobs, ...assistants.jobs],
      });
      users.startSweep();
      renewer = billing.startRenewing();
    },
    async stop() {
      await renewer?.close();
      // What was answered last is still being charged.
      await collector.close();
      await idempotencySweep?.close();
      await users.close();
      await background?.close();
      redis.disconnect();
      await Promise.all(
        [ledgerPeer, enginePeer, toolServerPeer, enrichmentPeer, dispatcherPeer, database].map(each =>
          each.close(),
        ),
      );
    },
  };
}
