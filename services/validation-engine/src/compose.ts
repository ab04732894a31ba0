import {
  accountExportHandler,
  createForgetAccount,
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
import { openRedis, redisCheck } from '@mailproof/service-kit/redis';
import type { EmailAddress } from '@mailproof/shared-types';
import { createFreshDns } from './adapters/dns/create-dns.ts';
import { loadDomainLists, loadRoles } from './adapters/domain-lists.ts';
import { createAddressHasher, keyedHash } from './adapters/keyed-hash.ts';
import { createMatchPeople } from './adapters/peers/match-people.ts';
import { accountTables } from './adapters/postgres/account-tables.ts';
import { createDeferredProbeStore } from './adapters/postgres/deferred-probe-store.ts';
import { createDoNotProbeStore } from './adapters/postgres/do-not-probe-store.ts';
import { createEvidenceSnapshots } from './adapters/postgres/evidence-snapshots.ts';
import { createExportedJobs } from './adapters/postgres/exported-jobs.ts';
import { createOutcomeStore } from './adapters/postgres/outcome-store.ts';
import { createSiteLookStore } from './adapters/postgres/site-look-store.ts';
import { createHostGate } from './adapters/redis/host-gate.ts';
import { createComparisonMemory, createVerdictMemory } from './adapters/redis/memories.ts';
import { createBreakerStore, createHarvestCounter } from './adapters/redis/standing.ts';
import { composeIntake } from './compose/intake.ts';
import { composeJobRuns } from './compose/job-runs.ts';
import { composeStandingWatch } from './compose/standing-watch.ts';
import { openStore, schema } from './compose/store.ts';
import { clock, composeValidation, localGateOf, sourceAddressOf } from './compose/validation.ts';
import type { Config } from './config.ts';
import { createOwnPeopleCheck } from './domain/catch-all/known-person.ts';
import { deadlineAfter } from './domain/concurrency/deadline.ts';
import { createAdmission, createYieldingStarts } from './domain/concurrency/in-flight.ts';
import { shareKnownPeople } from './domain/known-people/known-people.ts';
import { recordReportedOutcomes } from './domain/outcomes/record-outcomes.ts';
import { keyedRandom } from './domain/smtp/made-up-recipients.ts';
import { createLocalBreakerStore } from './domain/standing/breaker.ts';
import type { Withheld } from './domain/standing/clearance.ts';
import { createBlockWatch, createHarvestGuard } from './domain/standing/clearance.ts';
import { createDoNotProbeList } from './domain/standing/do-not-probe.ts';
import { requestDoNotProbe } from './domain/standing/request-do-not-probe.ts';
import { answerAddress, rememberVerdict } from './domain/validation/answer-address.ts';
import type { ValidationPorts } from './domain/validation/validate-address.ts';
import { shareValidations, withheldVerdict } from './domain/validation/validate-address.ts';
import { createEvents } from './events.ts';
import { addressHandlers } from './http/addresses.ts';
import { exportedRowHandlers } from './http/exported-rows.ts';
import { outcomeHandlers } from './http/outcomes.ts';
import { startBackgroundWork } from './workers/start.ts';

/** No client waits for a deferred probe, so it gets all the time that slow hosts need. */
const deferredDeadlineMs = 60_000;
/**
 * Time limit, in milliseconds, for the DNS query of a request not to be probed, and the limit on concurrent requests.
 */
const doNotProbeDeadlineMs = 8_000;
const doNotProbeRequestsInFlightMax = 10;

/** The fraction of nonexistent addresses above which the guard against address guessing applies. */
const harvestMissingShareMax = 0.5;

const noDeferredProbes = { defer: async () => undefined };

/** The dependencies that a test may replace. */
export interface Overrides extends Partial<ValidationPorts> {
  readonly now?: () => Date;
  /** Interval at which jobs due for removal are looked for, in milliseconds. */
  readonly sweepEveryMs?: number;
  /** Time without data after which an upload is aborted, in milliseconds. */
  readonly uploadSilentMsMax?: number;
}

/** Builds the service from its settings; tests may override ports. */
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
  const { pool } = store;
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
  const doNotProbeStore = createDoNotProbeStore(pool);
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
  const signer = createTokenSigner(config.SERVICE_SIGNING_KEY);
  const peerOf = (audience: 'credit-ledger' | 'enrichment', baseUrl: string) =>
    createOperationClient({ baseUrl, audience, sign: async peer => (await signer)(peer) });
  const ledgerPeer = peerOf('credit-ledger', config.CREDIT_LEDGER_URL);
  const enrichmentPeer = peerOf('enrichment', config.ENRICHMENT_URL);
  const knownPeople = shareKnownPeople(createMatchPeople(enrichmentPeer, clock));
  const hasher = createAddressHasher(config.ADDRESS_HASH_KEY);
  const outcomes = createOutcomeStore(pool, hasher);
  const snapshots = createEvidenceSnapshots(pool, hasher);
  const siteLooks = createSiteLookStore(pool, hashOf);
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
      knownPeople,
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
      siteLooks,
      onStoreFailed: events.storeFailed,
      events,
    },
  );
  const deferredProbes = createDeferredProbeStore(pool);
  const memory = createVerdictMemory(redis, hasher);
  const answerPorts = {
    memory,
    deferredProbes,
    hasReported: outcomes.hasReported,
    ownPeopleMatter: config.VALIDATION_EVIDENCE_SOURCES.includes('known_person')
      ? createOwnPeopleCheck({ knownPeople: ports.knownPeople ?? knownPeople, roles, clock })
      : async () => false,
    snapshots,
    validate: shareValidations(validate, clock),
    harvestGuard: createHarvestGuard({
      counter: createHarvestCounter({ redis, hashOf, nowMs: Date.now }),
      limits: {
        addressesMax: config.VALIDATION_HARVEST_ADDRESSES_MAX,
        freemailAddressesMax: config.VALIDATION_HARVEST_FREEMAIL_ADDRESSES_MAX,
        missingShareMax: harvestMissingShareMax,
      },
      freemailDomains: domainLists.personal,
    }),
    withhold: (email: EmailAddress, withheld: Withheld) =>
      withheldVerdict({ domainLists, roles }, email, withheld),
    nowMs: Date.now,
    onStoreFailed: events.storeFailed,
  };
  const recordPorts = { outcomes, roles, nowMs: Date.now };
  const standingWatch = composeStandingWatch(config, events);
  const health = createHealth({ postgres: postgresCheck(pool), redis: redisCheck(redis) }, () =>
    (standingWatch?.findings() ?? []).map(({ check, status, sentence, seenAtMs }) => ({
      name: check,
      status,
      text: sentence,
      seenAt: new Date(seenAtMs).toISOString(),
    })),
  );
  const starts = createYieldingStarts();
  // Separate from the addresses of lists: an upload would wait for hundreds of them.
  const uploadTurns = createYieldingStarts();
  const leaveRoom = () => {
    starts.yieldTo();
    uploadTurns.yieldTo();
  };
  const intake = composeIntake({
    ...{ config, pool, events, now, sweepEveryMs },
    nextTurn: uploadTurns.next,
  });
  const jobRuns = composeJobRuns({
    config,
    pool,
    ledgerPeer,
    // A job asks greylisting hosts again itself, together with its other addresses at the host (ADR 0035).
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
    expect: knownPeople.expect,
    findMailHost,
    take: intake.take,
    starts,
    events,
    now,
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
      routes: mountHandlers(
        'validation-engine',
        { service: createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS) },
        {
          ...addressHandlers({
            answer(request) {
              leaveRoom();
              return answerAddress(answerPorts, lifetimes, request);
            },
            admitAnswer: createAdmission(config.VALIDATION_IN_FLIGHT_MAX),
            request: (entry, signal) =>
              requestDoNotProbe(
                { store: doNotProbeStore, list: doNotProbe, dns: freshDns, hashOf, events },
                entry,
                deadlineAfter(clock, doNotProbeDeadlineMs, signal),
              ),
            admitRequest: createAdmission(doNotProbeRequestsInFlightMax),
            events,
          }),
          ...outcomeHandlers({
            record: (reporter, reported) =>
              recordReportedOutcomes(
                recordPorts,
                config.VALIDATION_OUTCOME_RETENTION_DAYS,
                reporter,
                reported,
              ),
            forget: jobRuns.endingJobs(createForgetAccount(pool, accountTables)),
            events,
          }),
          exportAccountOutcomes: accountExportHandler(pool, accountTables),
          ...intake.handlers,
          ...jobRuns.handlers,
          ...exportedRowHandlers(createExportedJobs(pool), leaveRoom),
        },
        uploadSilentMsMax === undefined
          ? {}
          : { createValidationJob: { bodySilentMsMax: uploadSilentMsMax } },
      ),
    }),
    needs: { redis: redisCheck(redis), schema: schemaCheck(pool, schema) },
    async start() {
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
        purges: [
          ...[outcomes, snapshots].map(
            store => (rowsMax: number) => store.purge(config.VALIDATION_OUTCOME_RETENTION_DAYS, rowsMax),
          ),
          siteLooks.purge,
        ],
        onPurgeFailed: events.storeFailed,
        jobs: [...jobRuns.jobs],
      });
    },
    async stop() {
      await standingWatch?.stop();
      await jobRuns.close();
      await background?.close();
      await intake.close();
      // Slots at hosts are returned through Redis.
      await endSessions();
      redis.disconnect();
      await Promise.all([ledgerPeer.close(), enrichmentPeer.close(), store.close()]);
    },
  };
}
