import {
  assertSchema,
  createAccountReader,
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
import type { EmailAddress } from '@mailproof/shared-types';
import {
  exportAccountOutcomes,
  forgetAccountOutcomes,
  recordDoNotProbeRequest,
  recordOutcomes,
  validateAddress as validateAddressOperation,
} from '@mailproof/shared-types';
import { createAddressHasher } from './adapters/address-hash.ts';
import { createFreshDns } from './adapters/dns/create-dns.ts';
import { loadDomainLists, loadRoles } from './adapters/domain-lists.ts';
import { accountTables } from './adapters/postgres/account-tables.ts';
import { createDeferredProbeStore } from './adapters/postgres/deferred-probe-store.ts';
import { createDoNotProbeStore } from './adapters/postgres/do-not-probe-store.ts';
import { createEvidenceSnapshots } from './adapters/postgres/evidence-snapshots.ts';
import { createForgetAccount } from './adapters/postgres/forget-account.ts';
import { createOutcomeStore } from './adapters/postgres/outcome-store.ts';
import { createBreakerStore } from './adapters/redis/breaker-store.ts';
import { createComparisonMemory } from './adapters/redis/comparison-memory.ts';
import { createHarvestCounter } from './adapters/redis/harvest-counter.ts';
import { createHostGate } from './adapters/redis/host-gate.ts';
import { createVerdictMemory } from './adapters/redis/verdict-memory.ts';
import { composeExportedRows } from './compose/exported-rows.ts';
import { composeIntake } from './compose/intake.ts';
import { composeJobRuns } from './compose/job-runs.ts';
import { composeStandingWatch } from './compose/standing-watch.ts';
import { openStore, schema } from './compose/store.ts';
import { composeValidation, localGateOf, sourceAddressOf } from './compose/validation.ts';
import { clock } from './compose/ways-outside.ts';
import type { Config } from './config.ts';
import { createAdmission } from './domain/admission.ts';
import { answerAddress, rememberVerdict } from './domain/answer-address.ts';
import { deadlineAfter } from './domain/deadline.ts';
import { createYieldingStarts } from './domain/job-runs/yielding-starts.ts';
import { keyedHash } from './domain/keyed-hash.ts';
import { keyedRandom } from './domain/keyed-random.ts';
import { recordReportedOutcomes } from './domain/outcomes/record-outcomes.ts';
import { shareValidations } from './domain/share-validations.ts';
import { createBlockWatch } from './domain/standing/block-watch.ts';
import { createLocalBreakerStore } from './domain/standing/breaker-store.ts';
import type { Withheld } from './domain/standing/clearance.ts';
import { createDoNotProbeList } from './domain/standing/do-not-probe.ts';
import { createHarvestGuard } from './domain/standing/harvest-guard.ts';
import { requestDoNotProbe } from './domain/standing/request-do-not-probe.ts';
import type { ValidationPorts } from './domain/validate-address.ts';
import { withheldVerdict } from './domain/verdict/withheld-verdict.ts';
import { createEvents } from './events.ts';
import { exportAccountOutcomesRoute } from './http/export-account-outcomes.ts';
import { forgetAccountOutcomesRoute } from './http/forget-account-outcomes.ts';
import { recordDoNotProbeRequestRoute } from './http/record-do-not-probe-request.ts';
import { recordOutcomesRoute } from './http/record-outcomes.ts';
import { validateAddressRoute } from './http/validate-address.ts';
import { startBackgroundWork } from './workers/start.ts';

const redisConnectDeadlineMs = 10_000;
/** Nobody waits for a deferred probe, so it gets all the time that slow hosts want. */
const deferredDeadlineMs = 60_000;
/** Time for the DNS question of a request not to be probed, and how many of them run at once. */
const doNotProbeDeadlineMs = 8_000;
const doNotProbeRequestsInFlightMax = 10;

const noDeferredProbes = { defer: async () => undefined };

/** What a test may put in place of what the world has. */
export interface Overrides extends Partial<ValidationPorts> {
  readonly now?: () => Date;
  /** Time between two looks for jobs that are to go, in milliseconds. */
  readonly sweepEveryMs?: number;
  /** Time in which nothing of an upload comes in until it is given up, in milliseconds. */
  readonly uploadSilentMsMax?: number;
}

/** Builds the service from its settings; tests may put ports of their own in place of some. */
export function compose(config: Config, overrides: Overrides = {}): Service {
  const { now = () => new Date(), sweepEveryMs, uploadSilentMsMax, ...ports } = overrides;
  const logger = createLogger({ service: 'validation-engine', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const store = openStore({
    databaseUrl: config.DATABASE_URL,
    applicationName: 'mailproof-validation-engine',
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.storeFailed,
  });
  const { pool, prisma } = store;
  const redis = openRedis(config.REDIS_URL, events.storeFailed);
  const gate = createHostGate({
    redis,
    sessionsMax: config.VALIDATION_SESSIONS_PER_HOST_MAX,
    startsPerMinuteMax: config.VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX,
    fallback: localGateOf(config),
    onStoreFailed: events.storeFailed,
  });
  const domainLists = loadDomainLists(config.VALIDATION_LISTS_DIR);
  const roles = loadRoles(config.VALIDATION_LISTS_DIR);
  const hashOf = keyedHash(config.ADDRESS_HASH_KEY);
  const doNotProbeStore = createDoNotProbeStore(prisma);
  const doNotProbe = createDoNotProbeList({
    store: doNotProbeStore,
    nowMs: Date.now,
    onStoreFailed: events.storeFailed,
  });
  const blockWatch = createBlockWatch({
    breakers: createBreakerStore({
      redis,
      nowMs: Date.now,
      fallback: createLocalBreakerStore(Date.now),
      onStoreFailed: events.storeFailed,
    }),
    sourceAddress: sourceAddressOf(config),
    hashOf,
    freemailDomains: domainLists.personal,
    events,
  });
  const hasher = createAddressHasher(config.ADDRESS_HASH_KEY);
  const outcomes = createOutcomeStore(prisma, hasher);
  const snapshots = createEvidenceSnapshots(prisma, hasher);
  const lifetimes = {
    decidedMs: config.VALIDATION_MEMORY_DECIDED_SECONDS * 1_000,
    unknownMs: config.VALIDATION_MEMORY_UNKNOWN_SECONDS * 1_000,
  };
  const {
    validate,
    findMailHost,
    close: endSessions,
  } = composeValidation(
    config,
    {
      domainLists,
      roles,
      blockWatch,
      doNotProbe,
      outcomes,
      randomOf: domain => keyedRandom(config.ADDRESS_HASH_KEY, domain, Date.now()),
      ...ports,
    },
    {
      gate,
      comparisons: createComparisonMemory(redis, hashOf),
      comparisonLifetimes: {
        conclusiveMs: config.VALIDATION_MEMORY_DOMAIN_SECONDS * 1_000,
        inconclusiveMs: lifetimes.unknownMs,
      },
      onStoreFailed: events.storeFailed,
      events,
    },
  );
  const deferredProbes = createDeferredProbeStore(prisma);
  const memory = createVerdictMemory(redis, hasher);
  const answerPorts = {
    memory,
    deferredProbes,
    hasReported: outcomes.hasReported,
    snapshots,
    validate: shareValidations(validate, clock),
    harvestGuard: createHarvestGuard({
      counter: createHarvestCounter({ redis, hashOf, nowMs: Date.now }),
      limits: {
        addressesMax: config.VALIDATION_HARVEST_ADDRESSES_MAX,
        freemailAddressesMax: config.VALIDATION_HARVEST_FREEMAIL_ADDRESSES_MAX,
        missingShareMax: config.VALIDATION_HARVEST_MISSING_SHARE_MAX,
      },
      freemailDomains: domainLists.personal,
    }),
    withhold: (email: EmailAddress, withheld: Withheld) =>
      withheldVerdict({ domainLists, roles }, email, withheld),
    nowMs: Date.now,
    onStoreFailed: events.storeFailed,
  };
  const recordPorts = { outcomes, roles, nowMs: Date.now };
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  const standingWatch = composeStandingWatch(config, events);
  const health = createHealth({ postgres: postgresCheck(pool), redis: redisCheck(redis) }, () =>
    (standingWatch?.findings() ?? []).map(({ check, status, sentence, seenAtMs }) => ({
      name: check,
      status,
      text: sentence,
      seenAt: new Date(seenAtMs).toISOString(),
    })),
  );
  const signer = createTokenSigner(config.SERVICE_SIGNING_KEY);
  const ledgerPeer = createOperationClient({
    baseUrl: config.CREDIT_LEDGER_URL,
    audience: 'credit-ledger',
    sign: async audience => (await signer)(audience),
  });
  const starts = createYieldingStarts();
  // Apart from the addresses of lists: an upload would wait for hundreds of them.
  const uploadTurns = createYieldingStarts();
  const jobRuns = composeJobRuns({
    config,
    pool,
    ledgerPeer,
    // A job asks greylisting hosts again itself, together with whomever else it has to ask there (ADR 0035).
    async answer(request) {
      const answer = await answerAddress(
        { ...answerPorts, deferredProbes: noDeferredProbes },
        lifetimes,
        request,
      );
      if (!request.signal.aborted) {
        events.addressOfJobAnswered(answer);
      }
      return answer;
    },
    findMailHost,
    starts,
    events,
    now,
  });
  const intake = composeIntake({
    ...{ config, pool, events, now, sweepEveryMs, uploadSilentMsMax },
    nextTurn: uploadTurns.next,
  });
  const freshDns = createFreshDns(config.VALIDATION_DNS_SERVERS, clock);
  let background: { close(): Promise<void> } | undefined;
  return {
    logger,
    health: {
      ...health,
      markStopping() {
        health.markStopping();
        jobRuns.markStopping();
      },
    },
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [
        validateAddressRoute(
          guardOf(validateAddressOperation),
          request => {
            starts.yieldTo();
            uploadTurns.yieldTo();
            return answerAddress(answerPorts, lifetimes, request);
          },
          createAdmission(config.VALIDATION_IN_FLIGHT_MAX),
          events,
        ),
        recordDoNotProbeRequestRoute(
          guardOf(recordDoNotProbeRequest),
          (entry, signal) =>
            requestDoNotProbe(
              { store: doNotProbeStore, list: doNotProbe, dns: freshDns, hashOf, events },
              entry,
              deadlineAfter(clock, doNotProbeDeadlineMs, signal),
            ),
          createAdmission(doNotProbeRequestsInFlightMax),
        ),
        recordOutcomesRoute(
          guardOf(recordOutcomes),
          (accountId, reported) =>
            recordReportedOutcomes(
              recordPorts,
              config.VALIDATION_OUTCOME_RETENTION_DAYS,
              accountId,
              reported,
            ),
          events,
        ),
        exportAccountOutcomesRoute(guardOf(exportAccountOutcomes), createAccountReader(pool, accountTables)),
        ...jobRuns.routes,
        forgetAccountOutcomesRoute(
          guardOf(forgetAccountOutcomes),
          jobRuns.endingJobs(createForgetAccount(pool)),
          events,
        ),
        ...intake.routes,
        ...composeExportedRows(pool, guardOf).routes,
      ],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(pool, schema);
      await doNotProbe.refresh();
      jobRuns.start();
      standingWatch?.start();
      intake.start();
      background = startBackgroundWork({
        pool,
        redis,
        redisUrl: config.REDIS_URL,
        logger,
        onRedisError: events.storeFailed,
        intervalMs: config.OUTBOX_INTERVAL_MS,
        retry: {
          probes: deferredProbes,
          validate: email => validate(email, deferredDeadlineMs, AbortSignal.timeout(deferredDeadlineMs)),
          remember: (email, verdict) => rememberVerdict(answerPorts, lifetimes, email, verdict),
        },
        forget: { outcomes, forget: memory.forget },
        purges: [outcomes, snapshots].map(
          store => rowsMax => store.purge(config.VALIDATION_OUTCOME_RETENTION_DAYS, rowsMax),
        ),
        onPurgeFailed: events.storeFailed,
        jobs: [...jobRuns.jobs],
      });
    },
    async stop() {
      await standingWatch?.stop();
      await jobRuns.close();
      await background?.close();
      await intake.close();
      // Places at hosts are given back through Redis.
      await endSessions();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), store.close()]);
    },
  };
}
