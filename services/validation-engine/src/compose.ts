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
import { validateAddress as validateAddressOperation } from '@mailproof/shared-types';
import { PrismaPg } from '@prisma/adapter-pg';
import { createDns } from './adapters/dns/create-dns.ts';
import { loadDomainLists, loadRoles } from './adapters/domain-lists.ts';
import { createDeferredProbeStore } from './adapters/postgres/deferred-probe-store.ts';
import { PrismaClient } from './adapters/postgres/generated/client.ts';
import { createComparisonMemory } from './adapters/redis/comparison-memory.ts';
import { createHostGate } from './adapters/redis/host-gate.ts';
import { createVerdictMemory } from './adapters/redis/verdict-memory.ts';
import { createTcpConnector } from './adapters/smtp/tcp-connector.ts';
import { createHttpsClient } from './adapters/web/https-client.ts';
import type { Config, ValidationConfig } from './config.ts';
import { createAddressGuard } from './domain/address-guard.ts';
import { createAdmission } from './domain/admission.ts';
import { answerAddress, rememberVerdict } from './domain/answer-address.ts';
import type { EvidencePolicy } from './domain/catch-all/gather-evidence.ts';
import { evidenceSources } from './domain/catch-all/sources.ts';
import { weights } from './domain/catch-all/weights.ts';
import { createGatedConnector } from './domain/host-gate/gated-connector.ts';
import type { HostGate } from './domain/host-gate/host-gate.ts';
import { createLocalHostGate } from './domain/host-gate/local-host-gate.ts';
import { keyedRandom } from './domain/keyed-random.ts';
import {
  type ComparisonLifetimes,
  type ComparisonMemory,
  createComparisons,
} from './domain/smtp/comparison.ts';
import type { SmtpConnector } from './domain/smtp/connection.ts';
import { createLocalComparisonMemory } from './domain/smtp/local-comparison-memory.ts';
import { createSessionPool } from './domain/smtp/pool/session-pool.ts';
import { type Validate, type ValidationPorts, validateAddress } from './domain/validate-address.ts';
import { createEvents } from './events.ts';
import { validateAddressRoute } from './http/validate-address.ts';
import { startBackgroundWork } from './workers/start.ts';

const schema = 'validation';
const redisConnectDeadlineMs = 10_000;
/** Nobody waits for a deferred probe, so it gets all the time that slow hosts want. */
const deferredDeadlineMs = 60_000;
/** Within one process's life a domain hardly changes its mind. */
const ownComparisonsKeptMs = 3_600_000;

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
    fallback: createLocalHostGate(config.VALIDATION_SESSIONS_PER_HOST_MAX),
    onStoreFailed: events.storeFailed,
  });
  const lifetimes = {
    decidedMs: config.VALIDATION_MEMORY_DECIDED_SECONDS * 1_000,
    unknownMs: config.VALIDATION_MEMORY_UNKNOWN_SECONDS * 1_000,
  };
  const { validate, close: endSessions } = composeValidation(
    config,
    { ...overrides, randomOf: keyedBy(config.ADDRESS_HASH_KEY) },
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
    nowMs: Date.now,
    onStoreFailed: events.storeFailed,
  };
  const guardOf = createServiceGuard('validation-engine', config.SERVICE_PEER_KEYS);
  const health = createHealth({ postgres: postgresCheck(pool), redis: redisCheck(redis) });
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
      ],
    }),
    async start() {
      await untilConnected(redis, redisConnectDeadlineMs);
      await assertSchema(pool, schema);
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
      await background?.close();
      // Places at hosts are given back through Redis.
      await endSessions();
      redis.disconnect();
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
  const { clock } = contact;
  const sessions = createSessionPool({
    connector: createGatedConnector(connector, shared.gate),
    clock,
    heloName: config.VALIDATION_HELO_NAME,
    mailFrom: config.VALIDATION_MAIL_FROM,
    sessionsPerHostMax: config.VALIDATION_SESSIONS_PER_HOST_MAX,
    sessionsMax: config.VALIDATION_SESSIONS_MAX,
  });
  const { comparisons: memory, onStoreFailed } = shared;
  const ports: ValidationPorts = {
    ...contact,
    asker: sessions,
    comparisons: createComparisons(
      { asker: sessions, memory, clock, nowMs: Date.now, onStoreFailed },
      shared.comparisonLifetimes,
    ),
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
    domainLists: loadDomainLists(),
    roles: loadRoles(),
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
    gate: createLocalHostGate(config.VALIDATION_SESSIONS_PER_HOST_MAX),
    comparisons: createLocalComparisonMemory({ nowMs: () => performance.now() }),
    comparisonLifetimes: { conclusiveMs: ownComparisonsKeptMs, inconclusiveMs: 0 },
    onStoreFailed: () => undefined,
  };
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

/** Tells web servers what we are and, by the name that mail hosts know us by, where to complain. */
function userAgentOf({ VALIDATION_HELO_NAME: name }: ValidationConfig): string {
  return name === undefined ? 'Mailproof (address validation)' : `Mailproof (address validation; ${name})`;
}

/** How the outside world is reached. */
export type WaysOutside = Pick<ValidationPorts, 'dns' | 'evidenceDns' | 'guard' | 'clock'> & {
  readonly connector: SmtpConnector;
};

/** Builds the ways to the outside world, which `doctor` tries out without validating anything. */
export function composeContact(config: ValidationConfig): WaysOutside {
  const clock = { nowMs: () => performance.now() };
  const dns = createDns(config.VALIDATION_DNS_SERVERS, clock);
  return {
    dns,
    evidenceDns: dns,
    connector: createTcpConnector(config.VALIDATION_SMTP_PORT),
    guard: createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES),
    clock,
  };
}
