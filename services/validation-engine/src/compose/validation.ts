import { randomBytes } from 'node:crypto';
import { createAddressGuard, createFairTurns } from '@mailproof/service-kit';
import { programName } from '@mailproof/service-kit/public-pages';
import { systemServers } from '../adapters/dns/ask-servers.ts';
import { createDns } from '../adapters/dns/create-dns.ts';
import { createReverseDns } from '../adapters/dns/reverse-dns.ts';
import { loadDomainLists, loadRoles } from '../adapters/domain-lists.ts';
import { readRows } from '../adapters/files/read-rows.ts';
import { createListFolder, readFileUpTo } from '../adapters/list-folder.ts';
import { createTcpConnector } from '../adapters/smtp/tcp-connector.ts';
import { createHttpsClient, type HttpsClientOptions } from '../adapters/web/https-client.ts';
import { pageReader } from '../adapters/web/page-reader.ts';
import type { ValidationConfig } from '../config.ts';
import type { EvidencePolicy } from '../domain/catch-all/gather-evidence.ts';
import { lookAtSite } from '../domain/catch-all/site/look-at-site.ts';
import {
  createLocalSiteLookStore,
  createSiteLooks,
  noSiteLooks,
  type SiteLookStore,
  type SiteLooks,
} from '../domain/catch-all/site/site-looks.ts';
import { evidenceSources } from '../domain/catch-all/sources.ts';
import type { WebClient } from '../domain/catch-all/web-client.ts';
import { weights as builtInWeights } from '../domain/catch-all/weights.ts';
import { deadlineAfter } from '../domain/concurrency/deadline.ts';
import { findMailHosts } from '../domain/dns/find-mail-hosts.ts';
import { createGatedConnector } from '../domain/host-gate/gated-connector.ts';
import type { HostGate } from '../domain/host-gate/host-gate.ts';
import { createLocalHostGate } from '../domain/host-gate/local-host-gate.ts';
import type { ReadRows } from '../domain/intake/open-file.ts';
import type { FindMailHost } from '../domain/job-runs/address-chunks.ts';
import { noKnownPeople } from '../domain/known-people/known-people.ts';
import type { ListPorts } from '../domain/lists/list-kinds.ts';
import { noOutcomes } from '../domain/outcomes/outcome-store.ts';
import {
  type ComparisonLifetimes,
  type ComparisonMemory,
  createComparisons,
} from '../domain/smtp/comparison.ts';
import type { SmtpConnector } from '../domain/smtp/connection.ts';
import { createLocalComparisonMemory } from '../domain/smtp/local-comparison-memory.ts';
import { createSessionPool } from '../domain/smtp/pool/session-pool.ts';
import { noSmtpEvents, type SmtpEvents } from '../domain/smtp/smtp-events.ts';
import { createLocalBreakerStore } from '../domain/standing/breaker.ts';
import { createBlockWatch } from '../domain/standing/clearance.ts';
import { emptyDoNotProbeList } from '../domain/standing/do-not-probe.ts';
import type { ExaminationPorts } from '../domain/standing/examination/look-around.ts';
import {
  type Validate,
  type ValidationPorts,
  validateAddress,
} from '../domain/validation/validate-address.ts';

/**
 * Time limit for finding the mail host of a domain, in milliseconds, if it only decides which addresses are asked
 * together.
 */
const mailHostMsMax = 5_000;
/**
 * Idle sessions may take more memory while resident memory is below this, in octets: it leaves room for the rest of a
 * list within 300 MiB (docs/sizing.md).
 */
const idleSessionsRssMax = 280 * 1_048_576;
/**
 * How long a reading of the resident memory is reused, in milliseconds: reading it costs a system call and a file, and
 * it hardly changes in this time.
 */
const memoryReadMs = 100;
/** How long a process keeps its own comparisons, in milliseconds: a domain hardly changes its behavior in that time. */
const ownComparisonsKeptMs = 3_600_000;

/** How many sites are looked at together: each look holds a page of up to half a megabyte. */
const looksAtOnceMax = 16;

/** The parts that the replicas of the service share, and that a single process creates for itself. */
interface SharedParts {
  readonly gate: HostGate;
  readonly comparisons: ComparisonMemory;
  readonly comparisonLifetimes: ComparisonLifetimes;
  readonly siteLooks: SiteLookStore;
  readonly onStoreFailed: (error: unknown) => void;
  readonly events: SmtpEvents;
}

/** Builds the validation alone, for the service and for the command line. `close` ends the sessions with hosts. */
export function composeValidation(
  config: ValidationConfig,
  overrides: Partial<ValidationPorts> = {},
  shared: SharedParts = ownParts(config),
): { readonly validate: Validate; readonly findMailHost: FindMailHost; close(): Promise<void> } {
  const { connector, ...contact } = composeContact(config);
  const sessions = createSessionPool({
    connector: createGatedConnector(connector, shared.gate),
    clock,
    heloName: config.VALIDATION_HELO_NAME,
    mailFrom: config.VALIDATION_MAIL_FROM,
    sessionsPerHostMax: config.VALIDATION_SESSIONS_PER_HOST_MAX,
    sessionsMax: config.VALIDATION_SESSIONS_MAX,
    hasRoom: createMemoryCheck(idleSessionsRssMax),
    events: shared.events,
  });
  const { comparisons: memory, onStoreFailed } = shared;
  const web = overrides.web ?? composeWeb(config, contact);
  const roles = overrides.roles ?? loadRoles(config.VALIDATION_LISTS_DIR);
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
    web,
    evidencePolicy: evidencePolicyOf(config),
    outcomes: noOutcomes,
    knownPeople: noKnownPeople,
    randomOf: () => Math.random,
    domainLists,
    roles,
    sites: config.VALIDATION_EVIDENCE_SOURCES.includes('published_on_site')
      ? composeSiteLooks(web, shared.siteLooks, roles)
      : noSiteLooks,
    ...overrides,
  };
  return {
    validate(email, deadlineMs, signal, accountId, list) {
      const withinMs = Math.min(deadlineMs, config.VALIDATION_DEADLINE_MS);
      return validateAddress(ports, email, withinMs, signal, accountId, list);
    },
    // Uses the same DNS, so that the validation finds the answer in the cache.
    async findMailHost(domain, signal) {
      const deadline = deadlineAfter(clock, mailHostMsMax, signal);
      const found = await findMailHosts(ports.dns, domain, deadline);
      return found.kind === 'found' ? found.preferred : undefined;
    },
    close: sessions.close,
  };
}

function ownParts(config: ValidationConfig): SharedParts {
  return {
    gate: localGateOf(config),
    comparisons: createLocalComparisonMemory(clock),
    comparisonLifetimes: { conclusiveMs: ownComparisonsKeptMs, inconclusiveMs: 0 },
    siteLooks: createLocalSiteLookStore(clock),
    onStoreFailed: () => undefined,
    events: noSmtpEvents,
  };
}

/** Slots at hosts for a single process. */
export function localGateOf(config: ValidationConfig): HostGate {
  return createLocalHostGate(
    config.VALIDATION_SESSIONS_PER_HOST_MAX,
    config.VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX,
  );
}

/** The name for the address that hosts see us at: each address has its own standing. */
export function sourceAddressOf({
  VALIDATION_SOCKS5_URL: proxy,
  VALIDATION_LOCAL_ADDRESS: addresses,
}: ValidationConfig): string {
  return proxy ? `${proxy.host}:${proxy.port}` : (addresses?.join(',') ?? 'default');
}

function evidencePolicyOf(config: ValidationConfig): EvidencePolicy {
  const weights = config.VALIDATION_WEIGHTS_FILE ?? builtInWeights;
  return {
    weights,
    prior: config.VALIDATION_CATCH_ALL_PRIOR ?? weights.prior,
    sources: evidenceSources.filter(({ id }) => config.VALIDATION_EVIDENCE_SOURCES.includes(id)),
  };
}

/** Checks whether the process has less than `octetsMax` octets of resident memory. */
function createMemoryCheck(octetsMax: number): () => boolean {
  let isBelow = true;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.nowMs() - readAtMs >= memoryReadMs) {
      isBelow = process.memoryUsage.rss() < octetsMax;
      readAtMs = clock.nowMs();
    }
    return isBelow;
  };
}

/** The monotonic clock for waits. */
export const clock = { nowMs: () => performance.now() };

/** The connections to the outside world. */
type WaysOutside = Pick<ValidationPorts, 'dns' | 'evidenceDns' | 'guard' | 'clock'> & {
  readonly connector: SmtpConnector;
};

/** Builds the connections to the outside world, which `doctor` tries without validating anything. */
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

/** Builds the client for web servers, which uses the same DNS and guard as everything else. */
export function composeWeb(
  config: ValidationConfig,
  { dns, guard }: Pick<WaysOutside, 'dns' | 'guard'>,
  bounds: Partial<Pick<HttpsClientOptions, 'requestTimeoutMs' | 'bodyOctetsMax'>> = {},
): WebClient {
  return createHttpsClient({
    dns,
    guard,
    clock,
    port: config.VALIDATION_HTTPS_PORT,
    extraCa: config.VALIDATION_CA_FILE,
    userAgent: userAgentOf(config),
    ...bounds,
  });
}

/** Builds the looks at the sites of domains, each at most once at a time. */
export function composeSiteLooks(
  web: WebClient,
  store: SiteLookStore,
  roles: ReadonlySet<string>,
): SiteLooks {
  const turns = createFairTurns(looksAtOnceMax, looksAtOnceMax, 'look at site');
  const madeUpName = () => `no-such-page-${randomBytes(6).toString('hex')}`;
  return createSiteLooks({
    store,
    clock,
    look: (domain, deadline, spare) =>
      lookAtSite(
        { web, reader: pageReader, clock, madeUpName, roles, nowMs: Date.now },
        domain,
        deadline,
        spare,
      ),
    inTurn: turns.take,
    roles,
  });
}

/** Tells web servers what we are and where to complain: at a URL, or at the name that mail hosts know us by. */
function userAgentOf(config: ValidationConfig): string {
  const { VALIDATION_HELO_NAME: name, PUBLIC_PAGES_CONTACT_URL: url } = config;
  return [`${programName}/1.0 (address validation`, name, url && `+${url}`]
    .filter(Boolean)
    .join('; ')
    .concat(')');
}

/**
 * Builds the parts that examine our standing: the connections to the outside world, and each name server separately.
 */
export function composeExamination(config: ValidationConfig): ExaminationPorts {
  const servers = config.VALIDATION_DNS_SERVERS ?? systemServers();
  return {
    contact: composeContact(config),
    servers: servers.map(name => ({ name, dns: createDns([name], clock) })),
    reverse: createReverseDns(config.VALIDATION_DNS_SERVERS),
  };
}

/** Builds what `refresh-lists` needs. The files that it fetches are far longer than any evidence. */
export function composeLists(
  config: ValidationConfig,
  dir: string,
  bounds: Pick<HttpsClientOptions, 'requestTimeoutMs' | 'bodyOctetsMax'>,
): ListPorts {
  const web = composeWeb(config, composeContact(config), bounds);
  return { folder: createListFolder(dir), web, clock, readFileUpTo };
}

/** Reads the rows of lists, whether they are uploaded or named on the command line. */
export function composeRowReader(): ReadRows {
  return readRows;
}
