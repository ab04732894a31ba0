import { loadDomainLists, loadRoles } from '../adapters/domain-lists.ts';
import type { ValidationConfig } from '../config.ts';
import type { EvidencePolicy } from '../domain/catch-all/gather-evidence.ts';
import { evidenceSources } from '../domain/catch-all/sources.ts';
import { weights as builtInWeights } from '../domain/catch-all/weights.ts';
import { deadlineAfter } from '../domain/deadline.ts';
import { findMailHosts } from '../domain/dns/find-mail-hosts.ts';
import { createGatedConnector } from '../domain/host-gate/gated-connector.ts';
import type { HostGate } from '../domain/host-gate/host-gate.ts';
import { createLocalHostGate } from '../domain/host-gate/local-host-gate.ts';
import type { FindMailHost } from '../domain/job-runs/place-addresses.ts';
import { noOutcomes } from '../domain/outcomes/outcome-store.ts';
import {
  type ComparisonLifetimes,
  type ComparisonMemory,
  createComparisons,
} from '../domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../domain/smtp/local-comparison-memory.ts';
import { createSessionPool } from '../domain/smtp/pool/session-pool.ts';
import { noSmtpEvents, type SmtpEvents } from '../domain/smtp/smtp-events.ts';
import { createBlockWatch } from '../domain/standing/block-watch.ts';
import { createLocalBreakerStore } from '../domain/standing/breaker-store.ts';
import { emptyDoNotProbeList } from '../domain/standing/do-not-probe.ts';
import { type Validate, type ValidationPorts, validateAddress } from '../domain/validate-address.ts';
import { clock, composeContact, composeWeb } from './ways-outside.ts';

/** Time for finding out which host takes the mail of a domain, in milliseconds, where that only says who is asked together. */
const mailHostMsMax = 5_000;
/** Resident memory in octets up to which idle sessions may take more of it: lists keep the engine below 300 MiB (docs/sizing.md). */
const idleSessionsRssMax = 265 * 1_048_576;
/** Within one process's life a domain hardly changes its mind. */
const ownComparisonsKeptMs = 3_600_000;

/** What the replicas of the service have in common, and a process on its own has for itself. */
export interface SharedParts {
  readonly gate: HostGate;
  readonly comparisons: ComparisonMemory;
  readonly comparisonLifetimes: ComparisonLifetimes;
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
    hasRoom: () => process.memoryUsage.rss() < idleSessionsRssMax,
    events: shared.events,
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
    web: composeWeb(config, contact),
    evidencePolicy: evidencePolicyOf(config),
    outcomes: noOutcomes,
    randomOf: () => Math.random,
    domainLists,
    roles: loadRoles(config.VALIDATION_LISTS_DIR),
    ...overrides,
  };
  return {
    validate: (email, deadlineMs, signal, accountId) =>
      validateAddress(ports, email, Math.min(deadlineMs, config.VALIDATION_DEADLINE_MS), signal, accountId),
    // By the same DNS, so that the validation finds the answer remembered.
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
    onStoreFailed: () => undefined,
    events: noSmtpEvents,
  };
}

/** Places at hosts for one process by itself. */
export function localGateOf(config: ValidationConfig): HostGate {
  return createLocalHostGate(
    config.VALIDATION_SESSIONS_PER_HOST_MAX,
    config.VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX,
  );
}

/** By which address the world knows us, in a word of our own: each has a standing of its own. */
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
