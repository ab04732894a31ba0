import type { ExpectedVerdict } from '@mailproof/mail-lab';

/** The messages between the processes of a benchmark over IPC. */

/**
 * The probers that are measured: our engine probing hosts only, our engine with its usual evidence, or the plain
 * prober.
 */
export const proberIds = ['engine', 'engine-evidence', 'plain'] as const;
export type ProberId = (typeof proberIds)[number];

/** The size of the synthetic catalog; the same numbers produce the same domains and addresses. */
export interface CatalogSize {
  readonly domains: number;
  readonly addresses: number;
  readonly seed: number;
}

/** The first message to a lab. */
export interface LabOrder {
  readonly type: 'open';
  readonly size: CatalogSize;
  readonly roundTripMs: number;
}

/** Further messages to a lab: to restart the count, and to report it. */
export type LabRequest = LabOrder | { readonly type: 'begin' } | { readonly type: 'tell' };

export type LabAnswer =
  | { readonly type: 'open'; readonly surroundings: LabSurroundings }
  | { readonly type: 'started' }
  | { readonly type: 'told'; readonly figures: LabFigures };

/** The addresses of the lab. */
export interface LabSurroundings {
  readonly dnsServer: string;
  readonly smtpPort: number;
  readonly httpsPort: number;
  readonly caCertificatePem: string;
  readonly allowedRanges: readonly string[];
}

/** The lab's figures on one prober, over all hosts. */
export interface LabFigures {
  readonly connections: number;
  readonly roundTrips: number;
  readonly sessionsOpen: number;
  /** The maximum of concurrent sessions at any one host. */
  readonly sessionsPeakMax: number;
  readonly recipientsAsked: number;
  readonly dnsQueries: number;
  readonly webRequests: number;
  /** Violations of good behavior, and questions outside of the catalog; the first few in words. */
  readonly complaints: number;
  readonly firstComplaints: readonly string[];
  readonly load: Load;
}

/** How busy a process was while a prober was measured. */
export interface Load {
  readonly cpuMs: number;
  /**
   * The share of the time in which its event loop had work to do, from 0 to 1, in the median second: at the start and at
   * the end of a list, a prober mostly waits.
   */
  readonly busyShare: number;
  /** The delay of its timers, in milliseconds: the 99th percentile and the maximum. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

/** The first message to a prober. */
export interface ProberOrder {
  readonly type: 'prepare';
  readonly prober: ProberId;
  /** Settings of the engine; the plain prober also finds the lab by them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  readonly inFlightMax: number;
}

export type ProberRequest =
  | ProberOrder
  | { readonly type: 'run'; readonly addresses: readonly ExpectedVerdict[] };

export type ProberAnswer =
  | { readonly type: 'prepared' }
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'done'; readonly figures: ProberFigures };

/** The results of a prober, and their cost. */
export interface ProberFigures {
  /** From the first question to the last verdict. */
  readonly elapsedMs: number;
  /** Verdicts by result. */
  readonly results: Readonly<Record<string, number>>;
  /** Verdicts that differ from the catalog; the first few in words. */
  readonly mismatches: number;
  readonly firstMismatches: readonly string[];
  /** The peak memory of the process, in bytes. */
  readonly memoryPeakBytes: number;
  /** Its memory with everything loaded and before the first question, in bytes. */
  readonly memoryAtStartBytes: number;
  readonly load: Load;
}
