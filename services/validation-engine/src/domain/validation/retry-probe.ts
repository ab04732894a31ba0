import type { DeferredProbeId, EmailAddress, Verdict, VerdictReason } from '@mailproof/shared-types';
import { mayBeGreylisted, nextDelayMs } from './answer-address.ts';
import type { Validation } from './validate-address.ts';

/** An address whose host asked us to come back. */
export interface DeferredProbe {
  readonly deferredProbeId: DeferredProbeId;
  readonly email: EmailAddress;
  /** Attempts made before this retry, including the first. */
  readonly attempts: number;
}

export interface DeferredProbeStore {
  find(deferredProbeId: DeferredProbeId): Promise<DeferredProbe | undefined>;
  /** Counts the attempt and schedules the next one. */
  postpone(probe: DeferredProbe, delayMs: number): Promise<void>;
  /** Forgets the address. */
  finish(probe: DeferredProbe): Promise<void>;
}

export interface RetryPorts {
  readonly probes: DeferredProbeStore;
  readonly validate: (email: EmailAddress) => Promise<Validation>;
  readonly remember: (email: EmailAddress, verdict: Verdict) => Promise<void>;
}

/** Reasons that may pass: a host that was down, or our own network, may work the next time. */
const passingReasons: ReadonlySet<VerdictReason> = new Set([
  'greylisted',
  'temporary_failure',
  'host_busy',
  'session_timeout',
  'connection_failed',
  'own_network_failed',
  'dns_timeout',
]);

/**
 * Probes a deferred address again. Running twice is safe: the second run finds the address forgotten, or probes one
 * extra time.
 */
export async function retryProbe(ports: RetryPorts, deferredProbeId: DeferredProbeId): Promise<void> {
  const probe = await ports.probes.find(deferredProbeId);
  if (!probe) {
    return;
  }
  const { verdict, evidence } = await ports.validate(probe.email);
  await ports.remember(probe.email, verdict);
  // A host that defers the recipient again without calling itself a greylist has another fault.
  const isStillDeferred = mayBeGreylisted(verdict.reason, evidence);
  const isPassing = passingReasons.has(verdict.reason) && !isStillDeferred;
  const delayMs = isPassing ? nextDelayMs(probe.attempts) : undefined;
  await (delayMs === undefined ? ports.probes.finish(probe) : ports.probes.postpone(probe, delayMs));
}
