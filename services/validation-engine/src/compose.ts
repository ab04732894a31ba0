import {
  assertSchema,
  createHealth,
  createLogger,
  createServiceApp,
  createServiceGuard,
  openPostgres,
  openRedis,
  postgresCheck,
  redisCheck,
  type Service,
  untilConnected,
} from '@mailproof/service-kit';
import type { EmailAddress } from '@mailproof/shared-types';
import {
  recordDoNotProbeRequest,
  validateAddress as validateAddressOperation,
} from '@mailproof/shared-types';
import { PrismaPg } from '@prisma/adapter-pg';
import { createDns, createFreshDns } from './adapters/dns/create-dns.ts';
import { createReverseDns } from './adapters/dns/reverse-dns.ts';
import { systemServers } from './adapters/dns/system-servers.ts';
import { loadDomainLists, loadRoles } from './adapters/domain-lists.ts';
import { createListFolder, readFileUpTo } from './adapters/list-folder.ts';
import { createDeferredProbeStore } from './adapters/postgres/deferred-probe-store.ts';
import { createDoNotProbeStore } from './adapters/postgres/do-not-probe-store.ts';
import { PrismaClient } from './adapters/postgres/generated/client.ts';
import { createBreakerStore } from './adapters/redis/breaker-store.ts';
import { createComparisonMemory } from './adapters/redis/comparison-memory.ts';
import { createHarvestCounter } from './adapters/redis/harvest-counter.ts';
import { createHostGate } from './adapters/redis/host-gate.ts';
import { createVerdictMemory } from './adapters/redis/verdict-memory.ts';
import { createTcpConnector } from './adapters/smtp/tcp-connector.ts';
import { createHttpsClient, type HttpsClientOptions } from './adapters/web/https-client.ts';
import type { Config, ValidationConfig } from './config.ts';
import { createAddressGuard } from './domain/address-guard.ts';
import { createAdmission } from './domain/admission.ts';
import { answerAddress, rememberVerdict } from './domain/answer-address.ts';
import type { EvidencePolicy } from './domain/catch-all/gather-evidence.ts';
import { evidenceSources } from './domain/catch-all/sources.ts';
import { weights } from './domain/catch-all/weights.ts';
import { deadlineAfter } from './domain/deadline.ts';
import { createGatedConnector } from './domain/host-gate/gated-connector.ts';
import type { HostGate } from './domain/host-gate/host-gate.ts';
import { createLocalHostGate } from './domain/host-gate/local-host-gate.ts';
import { keyedHash } from './domain/keyed-hash.ts';
import { keyedRandom } from './domain/keyed-random.ts';
import type { ListPorts } from './domain/lists/list-ports.ts';
import {
  type ComparisonLifetimes,
  type ComparisonMemory,
  createComparisons,
} from './domain/smtp/comparison.ts';
import type { SmtpConnector } from './domain/smtp/connection.ts';
import { createLocalComparisonMemory } from './domain/smtp/local-comparison-memory.ts';
import { createSessionPool } from './domain/smtp/pool/session-pool.ts';
import { createBlockWatch } from './domain/standing/block-watch.ts';
import { createLocalBreakerStore } from './domain/standing/breaker-store.ts';
import type { Withheld } from './domain/standing/clearance.ts';
import type { DoNotProbeStore } from './domain/standing/do-not-probe.ts';
import { createDoNotProbeList, emptyDoNotProbeList } from './domain/standing/do-not-probe.ts';
import { blockLists } from './domain/standing/examination/block-lists.ts';
import { judge } from './domain/standing/examination/judge.ts';
import { type ExaminationPorts, lookAround } from './domain/standing/examination/look-around.ts';
import { probeDomainsDefault } from './domain/standing/examination/probe-domains.ts';
import { createHarvestGuard } from './domain/standing/harvest-guard.ts';
import { requestDoNotProbe } from './domain/standing/request-do-not-probe.ts';
import { createStandingWatch, type StandingWatch } from './domain/standing/standing-watch.ts';
import { type Validate, type ValidationPorts, validateAddress } from './domain/validate-address.ts';
import { withheldVerdict } from './domain/verdict/withheld-verdict.ts';
import { createEvents, type Events } from './events.ts';
import { recordDoNotProbeRequestRoute } from './http/record-do-not-probe-request.ts';
import { validateAddressRoute } from './http/validate-address.ts';
import { startBackgroundWork } from './workers/start.ts';

const schema = 'validation';
const clock = { nowMs: () => performance.now() };
const redisConnectDeadlineMs = 10_000;
/** Nobody waits for a deferred probe, so it gets all the time that slow hosts want. */
const deferredDeadlineMs = 60_000;
/** Within one process's life a domain hardly changes its mind. */
const ownComparisonsKeptMs = 3_600_000;
/** Time for the DNS question of a request not to be probed, and how many of them run at once. */
const doNotProbeDeadlineMs = 8_000;
const doNotProbeRequestsInFlightMax = 10;
const standingCheckHoursDefault = 6;

/** Builds the service from its settings; tests may put ports of their own in place of some. */
export function compose(config: Config, overrides: Partial<ValidationPorts> = {}): Service {
  const logger = createLogger({ service: 'validation-engine', level: config.LOG_LEVEL });
  const events = createEvents(logger);
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-validation-engine',
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    onIdleError: events.storeFailed,
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
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
  const lifetimes = {
    decidedMs: config.VALIDATION_MEMORY_DECIDED_SECONDS * 1_000,
    unknownMs: config.VALIDATION_MEMORY_UNKNOWN_SECONDS * 1_000,
  };
  const { validate, close: endSessions } = composeValidation(
    config,
    {
      domainLists,
      roles,
      blockWatch,
      doNotProbe,
      ...overrides,
      randomOf: keyedBy(config.ADDRESS_HASH_KEY),
    },
    {
      gate,
      comparisons: createComparisonMemory(redis, config.ADDRESS_HASH_KEY),
      comparisonLifetimes: {
        conclusiveMs: config.VALIDATION_MEMORY_DOMAIN_SECONDS * 1_000,
        inconclusiveMs: lifetimes.unknownMs,
      },
      onStoreFailed: events.storeFailed,
    },
  );
  const deferredProbes = createDeferredProbeStore(prisma);
  const memory = createVerdictMemory(redis, config.ADDRESS_HASH_KEY);
  const answerPorts = {
    memory,
    deferredProbes,
    validate,
    harvestGuard: createHarvestGuard({
      counter: createHarvestCounter({ redis, hashKey: config.ADDRESS_HASH_KEY, nowMs: Date.now }),
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
  const freshDns = createFreshDns(config.VALIDATION_DNS_SERVERS, clock);
  let background: { close(): Promise<void> } | undefined;
  return {
    logger,
    health,
    app: createServiceApp({
      logger,
      health,
      problemTypeBase: 'urn:mailproof:problem:',
      routes: [
        validateAddressRoute(
          guardOf(validateAddressOperation),
          request => answerAddress(answerPorts, lifetimes, request),
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
      ],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(pool, schema);
      await doNotProbe.refresh();
      standingWatch?.start();
      background = startBackgroundWork({
        pool,
        redis,
        redisUrl: config.REDIS_URL,
        logger,
        onRedisError: events.storeFailed,
        retry: {
          probes: deferredProbes,
          validate: email => validate(email, deferredDeadlineMs, AbortSignal.timeout(deferredDeadlineMs)),
          remember: (email, verdict) => rememberVerdict(answerPorts, lifetimes, email, verdict),
        },
      });
    },
    async stop() {
      await standingWatch?.stop();
      await background?.close();
      // Places at hosts are given back through Redis.
      await endSessions();
      redis.disconnect();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** What the operator's commands work with. */
export function composeOperator(config: { DATABASE_URL: string }): {
  doNotProbe: DoNotProbeStore;
  close(): Promise<void>;
} {
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-validation-engine-operator',
    connectionsMax: 1,
    onIdleError: () => undefined,
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
  return {
    doNotProbe: createDoNotProbeStore(prisma),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** What the replicas of the service have in common, and a process on its own has for itself. */
export interface SharedParts {
  readonly gate: HostGate;
  readonly comparisons: ComparisonMemory;
  readonly comparisonLifetimes: ComparisonLifetimes;
  readonly onStoreFailed: (error: unknown) => void;
}

/** Builds the validation alone, for the service and for the command line. `close` ends the sessions with hosts. */
export function composeValidation(
  config: ValidationConfig,
  overrides: Partial<ValidationPorts> = {},
  shared: SharedParts = ownParts(config),
): { readonly validate: Validate; close(): Promise<void> } {
  const { connector, ...contact } = composeContact(config);
  const sessions = createSessionPool({
    connector: createGatedConnector(connector, shared.gate),
    clock,
    heloName: config.VALIDATION_HELO_NAME,
    mailFrom: config.VALIDATION_MAIL_FROM,
    sessionsPerHostMax: config.VALIDATION_SESSIONS_PER_HOST_MAX,
    sessionsMax: config.VALIDATION_SESSIONS_MAX,
  });
  const { comparisons: memory, onStoreFailed } = shared;
  const domainLists = overrides.domainLists ?? loadDomainLists(config.VALIDATION_LISTS_DIR);
  const ports: ValidationPorts = {
    ...contact,
    asker: sessions,
    comparisons: createComparisons(
      { asker: sessions, memory, clock, nowMs: Date.now, onStoreFailed },
      shared.comparisonLifetimes,
    ),
    blockWatch: createBlockWatch({
      breakers: createLocalBreakerStore(Date.now),
      sourceAddress: sourceAddressOf(config),
      hashOf: text => text,
      freemailDomains: domainLists.personal,
      events: { probingPaused: () => undefined, probingResumed: () => undefined },
    }),
    doNotProbe: emptyDoNotProbeList,
    web: createHttpsClient({
      dns: contact.dns,
      guard: contact.guard,
      clock,
      port: config.VALIDATION_HTTPS_PORT,
      extraCa: config.VALIDATION_CA_FILE,
      userAgent: userAgentOf(config),
    }),
    evidencePolicy: evidencePolicyOf(config),
    random: Math.random,
    randomOf: () => Math.random,
    domainLists,
    roles: loadRoles(config.VALIDATION_LISTS_DIR),
    ...overrides,
  };
  return {
    validate: (email, deadlineMs, signal) =>
      validateAddress(ports, email, Math.min(deadlineMs, config.VALIDATION_DEADLINE_MS), signal),
    close: sessions.close,
  };
}

function ownParts(config: ValidationConfig): SharedParts {
  return {
    gate: localGateOf(config),
    comparisons: createLocalComparisonMemory(clock),
    comparisonLifetimes: { conclusiveMs: ownComparisonsKeptMs, inconclusiveMs: 0 },
    onStoreFailed: () => undefined,
  };
}

function localGateOf(config: ValidationConfig): HostGate {
  return createLocalHostGate(
    config.VALIDATION_SESSIONS_PER_HOST_MAX,
    config.VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX,
  );
}

/** By which address the world knows us, in a word of our own: each has a standing of its own. */
function sourceAddressOf({
  VALIDATION_SOCKS5_URL: proxy,
  VALIDATION_LOCAL_ADDRESS: addresses,
}: ValidationConfig): string {
  return proxy ? `${proxy.host}:${proxy.port}` : (addresses?.join(',') ?? 'default');
}

function keyedBy(hashKey: Uint8Array): ValidationPorts['randomOf'] {
  return domain => keyedRandom(hashKey, domain, Date.now());
}

function evidencePolicyOf(config: ValidationConfig): EvidencePolicy {
  return {
    weights,
    prior: config.VALIDATION_CATCH_ALL_PRIOR,
    sources: evidenceSources.filter(({ id }) => config.VALIDATION_EVIDENCE_SOURCES.includes(id)),
  };
}

/** Builds what `refresh-lists` needs. It fetches what is far longer than anything that is evidence. */
export function composeLists(
  config: ValidationConfig,
  dir: string,
  bounds: Pick<HttpsClientOptions, 'requestTimeoutMs' | 'bodyOctetsMax'>,
): ListPorts {
  const { dns, guard, clock } = composeContact(config);
  const web = createHttpsClient({
    dns,
    guard,
    clock,
    port: config.VALIDATION_HTTPS_PORT,
    extraCa: config.VALIDATION_CA_FILE,
    userAgent: userAgentOf(config),
    ...bounds,
  });
  return { folder: createListFolder(dir), web, clock, readFileUpTo };
}

/** Tells web servers what we are and, by the name that mail hosts know us by, where to complain. */
function userAgentOf({ VALIDATION_HELO_NAME: name }: ValidationConfig): string {
  return name === undefined ? 'Mailproof (address validation)' : `Mailproof (address validation; ${name})`;
}

/** Where private ranges may be contacted, the world is a lab, and whose hosts ours would greet there is unknown. */
function composeStandingWatch(config: Config, events: Events): StandingWatch | undefined {
  const isLab = config.VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0;
  const hours = config.VALIDATION_STANDING_CHECK_HOURS ?? (isLab ? 0 : standingCheckHoursDefault);
  if (hours === 0) {
    return undefined;
  }
  const examination = composeExamination(config);
  const options = {
    probeDomains: probeDomainsDefault,
    heloName: config.VALIDATION_HELO_NAME,
    publicAddress: config.VALIDATION_LOCAL_ADDRESS?.map(examination.contact.guard).find(
      guarded => guarded.allowed,
    )?.address,
    blockLists,
  };
  return createStandingWatch({
    examine: async signal =>
      judge(await lookAround(examination, options, signal), {
        smtpPort: config.VALIDATION_SMTP_PORT,
        withBlockLists: true,
      }),
    intervalMs: hours * 3_600_000,
    nowMs: Date.now,
    onChanged: events.standingChanged,
    onFailed: events.standingUnknown,
  });
}

/** Builds what looks at our standing: the ways to the outside, and each name server by itself. */
export function composeExamination(config: ValidationConfig): ExaminationPorts {
  const servers = config.VALIDATION_DNS_SERVERS ?? systemServers();
  return {
    contact: composeContact(config),
    servers: servers.map(name => ({ name, dns: createDns([name], clock) })),
    reverse: createReverseDns(config.VALIDATION_DNS_SERVERS),
  };
}

/** How the outside world is reached. */
export type WaysOutside = Pick<ValidationPorts, 'dns' | 'evidenceDns' | 'guard' | 'clock'> & {
  readonly connector: SmtpConnector;
};

/** Builds the ways to the outside world, which `doctor` tries out without validating anything. */
export function composeContact(config: ValidationConfig): WaysOutside {
  const dns = createDns(config.VALIDATION_DNS_SERVERS, clock);
  return {
    dns,
    evidenceDns: dns,
    connector: createTcpConnector(config.VALIDATION_SMTP_PORT, {
      proxy: config.VALIDATION_SOCKS5_URL,
      localAddresses: config.VALIDATION_LOCAL_ADDRESS,
    }),
    guard: createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES),
    clock,
  };
}
