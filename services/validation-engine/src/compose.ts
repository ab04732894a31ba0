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
import { recordOutcomes, validateAddress as validateAddressOperation } from '@mailproof/shared-types';
import { PrismaPg } from '@prisma/adapter-pg';
import { createAddressHasher } from './adapters/address-hash.ts';
import { createDns } from './adapters/dns/create-dns.ts';
import { loadDomainLists, loadRoles } from './adapters/domain-lists.ts';
import { createDeferredProbeStore } from './adapters/postgres/deferred-probe-store.ts';
import { createEvidenceSnapshots, createLabelledSnapshots } from './adapters/postgres/evidence-snapshots.ts';
import { PrismaClient } from './adapters/postgres/generated/client.ts';
import { createOutcomeStore } from './adapters/postgres/outcome-store.ts';
import { createHostGate } from './adapters/redis/host-gate.ts';
import { createVerdictMemory } from './adapters/redis/verdict-memory.ts';
import { createTcpConnector } from './adapters/smtp/tcp-connector.ts';
import { createHttpsClient } from './adapters/web/https-client.ts';
import type { Config, ValidationConfig } from './config.ts';
import { createAddressGuard } from './domain/address-guard.ts';
import { createAdmission } from './domain/admission.ts';
import { answerAddress, rememberVerdict } from './domain/answer-address.ts';
import type { EvidencePolicy } from './domain/catch-all/gather-evidence.ts';
import type { LabelledSnapshots } from './domain/catch-all/snapshots.ts';
import { evidenceSources } from './domain/catch-all/sources.ts';
import { weights as builtInWeights } from './domain/catch-all/weights.ts';
import type { ContactPorts } from './domain/contact-hosts.ts';
import { createGatedConnector } from './domain/host-gate/gated-connector.ts';
import type { HostGate } from './domain/host-gate/host-gate.ts';
import { createLocalHostGate } from './domain/host-gate/local-host-gate.ts';
import { keyedRandom } from './domain/keyed-random.ts';
import { noOutcomes } from './domain/outcomes/outcome-store.ts';
import { recordReportedOutcomes } from './domain/outcomes/record-outcomes.ts';
import { type Validate, type ValidationPorts, validateAddress } from './domain/validate-address.ts';
import { createEvents } from './events.ts';
import { recordOutcomesRoute } from './http/record-outcomes.ts';
import { validateAddressRoute } from './http/validate-address.ts';
import { startBackgroundWork } from './workers/start.ts';

const schema = 'validation';
const redisConnectDeadlineMs = 10_000;
/** Nobody waits for a deferred probe, so it gets all the time that slow hosts want. */
const deferredDeadlineMs = 60_000;

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
  const hasher = createAddressHasher(config.ADDRESS_HASH_KEY);
  const outcomes = createOutcomeStore(prisma, hasher);
  const snapshots = createEvidenceSnapshots(prisma, hasher);
  const validate = composeValidation(
    config,
    { outcomes, ...overrides, randomOf: keyedBy(config.ADDRESS_HASH_KEY) },
    gate,
  );
  const deferredProbes = createDeferredProbeStore(prisma);
  const memory = createVerdictMemory(redis, hasher);
  const lifetimes = {
    decidedMs: config.VALIDATION_MEMORY_DECIDED_SECONDS * 1_000,
    unknownMs: config.VALIDATION_MEMORY_UNKNOWN_SECONDS * 1_000,
  };
  const answerPorts = {
    memory,
    deferredProbes,
    hasReported: outcomes.hasReported,
    snapshots,
    validate,
    nowMs: Date.now,
    onStoreFailed: events.storeFailed,
  };
  const recordPorts = { outcomes, roles: loadRoles(), nowMs: Date.now };
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
        forget: { outcomes, forget: memory.forget },
        purges: [outcomes, snapshots].map(
          store => rowsMax => store.purge(config.VALIDATION_OUTCOME_RETENTION_DAYS, rowsMax),
        ),
        onPurgeFailed: events.storeFailed,
      });
    },
    async stop() {
      await background?.close();
      redis.disconnect();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** What fitting weights works with. */
export function composeLabelledSnapshots(
  config: Pick<Config, 'DATABASE_URL'>,
): LabelledSnapshots & { close(): Promise<void> } {
  const pool = openPostgres({
    connectionString: config.DATABASE_URL,
    schema,
    applicationName: 'mailproof-fit-weights',
    connectionsMax: 1,
    onIdleError: () => undefined,
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
  return {
    ...createLabelledSnapshots(prisma),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** Builds the validation alone, for the service and for the command line. */
export function composeValidation(
  config: ValidationConfig,
  overrides: Partial<ValidationPorts> = {},
  gate: HostGate = createLocalHostGate(config.VALIDATION_SESSIONS_PER_HOST_MAX),
): Validate {
  const contact = { ...composeContact(config), ...overrides };
  const ports: ValidationPorts = {
    ...contact,
    connector: createGatedConnector(contact.connector, gate),
    web: createHttpsClient({
      dns: contact.dns,
      guard: contact.guard,
      clock: contact.clock,
      port: config.VALIDATION_HTTPS_PORT,
      extraCa: config.VALIDATION_CA_FILE,
      userAgent: userAgentOf(config),
    }),
    evidencePolicy: evidencePolicyOf(config),
    outcomes: noOutcomes,
    random: Math.random,
    randomOf: () => Math.random,
    domainLists: loadDomainLists(),
    roles: loadRoles(),
    ...overrides,
  };
  const identity = { mailFrom: config.VALIDATION_MAIL_FROM, heloName: config.VALIDATION_HELO_NAME };
  return (email, deadlineMs, signal, accountId) =>
    validateAddress(
      ports,
      identity,
      email,
      Math.min(deadlineMs, config.VALIDATION_DEADLINE_MS),
      signal,
      accountId,
    );
}

function keyedBy(hashKey: Uint8Array): ValidationPorts['randomOf'] {
  return domain => keyedRandom(hashKey, domain, Date.now());
}

function evidencePolicyOf(config: ValidationConfig): EvidencePolicy {
  const weights = config.VALIDATION_WEIGHTS_FILE ?? builtInWeights;
  return {
    weights,
    prior: config.VALIDATION_CATCH_ALL_PRIOR ?? weights.prior,
    sources: evidenceSources.filter(({ id }) => config.VALIDATION_EVIDENCE_SOURCES.includes(id)),
  };
}

/** Tells web servers what we are and, by the name that mail hosts know us by, where to complain. */
function userAgentOf({ VALIDATION_HELO_NAME: name }: ValidationConfig): string {
  return name === undefined ? 'Mailproof (address validation)' : `Mailproof (address validation; ${name})`;
}

/** Builds the ways to the outside world, which `doctor` tries out without validating anything. */
export function composeContact(
  config: ValidationConfig,
): ContactPorts & Pick<ValidationPorts, 'evidenceDns'> {
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
