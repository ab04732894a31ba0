import { setTimeout } from 'node:timers/promises';
import {
  createFailureCount,
  createHealth,
  createLogger,
  createOperationClient,
  createPublicServiceApps,
  createRateLimiter,
  createSealer,
  createServiceGuard,
  createTokenSigner,
  type Guards,
  type Handler,
  mountHandlers,
  type Peers,
  Problem,
  postgresCheck,
  type Route,
  rememberRefusals,
  route,
  type Service,
  schemaCheck,
  type TokenSigner,
} from '@mailproof/service-kit';
import { openRedis, redisCheck } from '@mailproof/service-kit/redis';
import {
  forAssistant,
  isForTools,
  limits,
  type Operation,
  opensByKey,
  operations,
  recordDoNotProbeRequest,
  withKey,
} from '@mailproof/shared-types';
import { readCsv } from './adapters/csv/read-csv.ts';
import { createKeySealer } from './adapters/jose/key-sealer.ts';
import {
  createCreditLedgerClient,
  createProfilesClient,
  createValidationEngineClient,
} from './adapters/peers/charging.ts';
import { createProfileKeeper } from './adapters/peers/profile-keeper.ts';
import { createKeyLookup } from './adapters/postgres/account-store.ts';
import { createHasPaid } from './adapters/postgres/billing-store.ts';
import { createChargeNotes } from './adapters/postgres/charge-notes.ts';
import { createIdempotencyStore } from './adapters/postgres/idempotency-store.ts';
import { createOptOutLinks } from './adapters/postgres/link-store.ts';
import { createKeyUseLog } from './adapters/postgres/named-key-store.ts';
import { openDatabase, schema } from './adapters/postgres/open.ts';
import { isDeletedAccountFault } from './adapters/postgres/write-faults.ts';
import { composeAccountViews } from './compose/account-views.ts';
import { composeAssistants } from './compose/assistants.ts';
import { composeBilling } from './compose/billing.ts';
import { composeNotices } from './compose/notices.ts';
import { composeUsers } from './compose/users.ts';
import type { Config } from './config.ts';
import { createChargeCollector } from './domain/charging/charge.ts';
import { enrichProfile } from './domain/charging/enrich-profile.ts';
import { validateSingleEmail } from './domain/charging/validate-single-email.ts';
import { uploadOutcomes } from './domain/outcomes/upload-outcomes.ts';
import { createEvents } from './events.ts';
import { forwardedRoutes } from './http/forwarded.ts';
import {
  createAccountAdmission,
  createAccountKeyGuard,
  createApiKeyGuard,
} from './http/guards/api-key-guard.ts';
import type {
  AccountCaller,
  AccountGuard,
  GatewayCallers,
  GatewayHandlers,
  KeyHandlers,
} from './http/guards/gateway-callers.ts';
import { createOutcomeSourceGuard } from './http/guards/outcome-source-guard.ts';
import { createPublicGuard } from './http/guards/public-guard.ts';
import { optOutHandlers } from './http/opt-outs.ts';
import { createSourceLookup, outcomeSourceHandlers } from './http/outcome-sources.ts';
import { publicInterfaceHandlers, type UploadOutcomes, type Validate } from './http/public-interface.ts';
import { refuseDeletedAccount } from './http/refuse-deleted-account.ts';
import { mountPages } from './pages/mount.ts';
import { startJobs } from './workers/jobs.ts';
import { startIdempotencySweep } from './workers/recurring.ts';

export { composeOperator, type Operator } from './compose/operator.ts';

/** Distinguishes sealed cursors from other texts that the ring seals. */
const cursorType = 'mailproof-cursor';
const ledgerCallDeadlineMs = 5_000;
/** The engine makes one DNS query. */
const doNotProbeDeadlineMs = 12_000;
/** How much longer a hold lives than its validation, so that only lost holds expire. */
const holdMarginMs = 60_000;
/** Beyond the engine's deadline, an attempt waits for two ledger calls and the transport of the engine's response. */
const attemptMarginMs = 20_000;

/** What a test may override. */
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
  const peers = openPeers(config, await createTokenSigner(config.SERVICE_SIGNING_KEY));
  const credits = createCreditLedgerClient(peers['credit-ledger'], {
    callDeadlineMs: ledgerCallDeadlineMs,
    holdExpiresInMs: config.VALIDATION_DEADLINE_MS + holdMarginMs,
  });
  const hasPaid = createHasPaid(database.pool);
  const engine = createValidationEngineClient(
    peers['validation-engine'],
    config.VALIDATION_DEADLINE_MS,
    hasPaid,
  );
  const attemptMsMax = config.VALIDATION_DEADLINE_MS + attemptMarginMs;
  const ports = { credits, engine, attemptMsMax };
  const profileAttemptMsMax = limits.profileDeadlineMs + attemptMarginMs;
  const profilePorts = {
    credits: createCreditLedgerClient(peers['credit-ledger'], {
      callDeadlineMs: ledgerCallDeadlineMs,
      holdExpiresInMs: limits.profileDeadlineMs + holdMarginMs,
    }),
    profiles: createProfilesClient(peers.enrichment),
    attemptMsMax: profileAttemptMsMax,
    isExhausted: (error: unknown) => error instanceof Problem && error.code === 'credits_exhausted',
  };
  const collector = createChargeCollector({ credits, ...createChargeNotes(database.pool), wait: setTimeout });
  const records = createIdempotencyStore(database.pool);
  const cursorSealer = createSealer(config.KEY_ENCRYPTION_KEYS, cursorType);
  const sealer = createKeySealer(config.KEY_ENCRYPTION_KEYS);
  const rateLimiter = createRateLimiter(redis, 'gateway');
  const windows = rememberRefusals(rateLimiter);
  const countFailure = createFailureCount({
    rateLimiter: windows,
    subject: 'failures',
    perMinuteMax: config.AUTH_FAILURES_PER_MINUTE_MAX,
  });
  const admit = createAccountAdmission(windows);
  const keyUses = createKeyUseLog(database.pool, events.keyUseNotNoted);
  const keys = { lookUpKey: createKeyLookup(database.pool, keyUses.note), admit, countFailure };
  const apiKeyGuard = createApiKeyGuard(keys);
  const accountKeyGuard = createAccountKeyGuard(keys, cursorSealer);
  const charging = { records, credits, collector, attemptMsMax };
  const publicGuard = createPublicGuard({
    rateLimiter: windows,
    requestsPerHourMax: config.PUBLIC_REQUESTS_PER_HOUR_MAX,
  });
  const outcomeSourceGuard = createOutcomeSourceGuard({
    findSource: createSourceLookup(peers['webhook-dispatcher']),
    rateLimiter: windows,
    countFailure,
  });
  const users = composeUsers({
    config,
    pool: database.pool,
    rateLimiter,
    windows,
    countFailure,
    cursorSealer,
    events,
    now,
  });
  const billing = await composeBilling({ ...users, ...database, config, sealer, windows, events, now });
  const views = composeAccountViews({
    ...users,
    ...database,
    peers,
    events,
    now,
  });
  const notices = composeNotices({
    ...users,
    pool: database.pool,
    dispatcher: peers['webhook-dispatcher'],
    publicBaseUrl: config.PUBLIC_BASE_URL,
    events,
    now,
  });
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
  const serviceGuard = createServiceGuard('gateway', config.SERVICE_PEER_KEYS, countFailure);
  const assistants = composeAssistants({
    ...users,
    pool: database.pool,
    peers,
    admit,
    serviceGuard,
    cursorSealer,
    now,
  });
  const handlers: GatewayHandlers = {
    ...publicInterfaceHandlers({
      availableCredits: credits.available,
      validate,
      enrich: request => enrichProfile(profilePorts, request),
      findProfile: profilePorts.profiles.enrich,
      record: (body, signal) =>
        peers['validation-engine'].call(
          recordDoNotProbeRequest,
          { params: {}, body },
          { deadlineMs: doNotProbeDeadlineMs, signal },
        ),
      upload,
      charging,
      enrichmentMsMax: profileAttemptMsMax,
    }),
    ...users.handlers,
    ...billing.handlers,
    ...views.handlers,
    ...notices.handlers,
    ...assistants.handlers,
    ...outcomeSourceHandlers(peers['webhook-dispatcher'], hasPaid),
    ...optOutHandlers({
      ...users.mailing,
      links: createOptOutLinks(database.pool),
      profiles: createProfileKeeper(peers.enrichment),
    }),
  };
  const guards: Guards<GatewayCallers> = {
    apiKey: apiKeyGuard,
    session: users.sessionGuard,
    secretUrl: () => outcomeSourceGuard,
    // Programs call the public interface; browsers call the application's.
    public: ({ path }) => (path.startsWith('/api/') ? publicGuard : users.visitorGuard),
    service: serviceGuard,
  };
  const health = createHealth({ postgres: postgresCheck(database.pool), redis: redisCheck(redis) });
  let idempotencySweep: { close(): Promise<void> } | undefined;
  let background: { close(): Promise<void> } | undefined;
  let recurring: readonly { close(): Promise<void> }[] = [];
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
        ...mountHandlers('gateway', guards, handlers),
        ...assistantRoutes(
          { ...guards, apiKey: operation => assistants.guard(forAssistant(operation)) },
          handlers,
        ),
        ...keyRoutes(accountKeyGuard, { ...billing.handlers, ...views.handlers }),
        ...billing.routes,
        ...forwardedRoutes(
          { session: users.sessionGuard, key: accountKeyGuard, assistant: assistants.accountGuard },
          peers,
        ),
      ].map(route => refuseDeletedAccount(route, isDeletedAccountFault)),
      mountPages: app =>
        mountPages(app, {
          accounts: async () => {
            if (!(await health.report()).ready) throw new Error('The gateway is not ready.');
          },
          credits: peers['credit-ledger'].checkReady,
          validation: peers['validation-engine'].checkReady,
          search: peers.enrichment.checkReady,
          delivery: peers['webhook-dispatcher'].checkReady,
          assistants: peers['mcp-server'].checkReady,
        }),
    }),
    needs: { redis: redisCheck(redis), schema: schemaCheck(database.pool, schema) },
    async start() {
      idempotencySweep = startIdempotencySweep(records, events.idempotencySweepFailed);
      background = startJobs({
        pool: database.pool,
        redis,
        redisUrl: config.REDIS_URL,
        credits,
        logger,
        onRedisError: events.redisConnectionLost,
        intervalMs: config.OUTBOX_INTERVAL_MS,
        jobs: [...users.jobs, ...billing.jobs, ...views.jobs, ...notices.jobs, ...assistants.jobs],
      });
      users.startSweep();
      notices.start();
      recurring = billing.start();
    },
    async stop() {
      await notices.close();
      await Promise.all(recurring.map(each => each.close()));
      // Waits for the charges of the last answers.
      await collector.close();
      await idempotencySweep?.close();
      await users.close();
      await background?.close();
      await keyUses.close();
      redis.disconnect();
      await Promise.all([...Object.values(peers), database].map(each => each.close()));
    },
  };
}

function openPeers(config: Config, sign: TokenSigner): Peers<'gateway'> {
  const peer = (audience: keyof Peers<'gateway'>, baseUrl: string) =>
    createOperationClient({ baseUrl, audience, sign });
  return {
    'credit-ledger': peer('credit-ledger', config.CREDIT_LEDGER_URL),
    'validation-engine': peer('validation-engine', config.VALIDATION_ENGINE_URL),
    'mcp-server': peer('mcp-server', config.MCP_SERVER_URL),
    enrichment: peer('enrichment', config.ENRICHMENT_URL),
    'webhook-dispatcher': peer('webhook-dispatcher', config.WEBHOOK_DISPATCHER_URL),
  };
}

/** The gateway's own operations of the application that an API key opens too (ADR 0067). */
function keyRoutes(guard: AccountGuard, handlers: KeyHandlers): Route[] {
  return Object.entries<Operation>(operations)
    .filter(([name, operation]) => opensByKey(operation) && name in handlers)
    .map(([name, operation]) =>
      route(
        withKey(operation),
        guard(operation),
        handlers[name as keyof KeyHandlers] as Handler<Operation, AccountCaller>,
      ),
    );
}

/** The tool server's variants of the gateway's own operations that tools use (ADR 0026). */
function assistantRoutes(guards: Guards<GatewayCallers>, handlers: GatewayHandlers): Route[] {
  return mountHandlers('gateway', guards, handlers)
    .filter(({ operation }) => operation.access.kind === 'apiKey' && isForTools(operation))
    .map(({ operation, handle }) => ({ operation: forAssistant(operation), handle }));
}
