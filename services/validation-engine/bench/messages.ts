import type { ExpectedVerdict } from '@mailproof/mail-lab';

/** What the processes of a benchmark tell each other over IPC. */

/** Who is measured: our engine asking hosts alone, our engine with its usual evidence, or the plain prober. */
export const proberIds = ['engine', 'engine-evidence', 'plain'] as const;
export type ProberId = (typeof proberIds)[number];

/** The synthetic domains and their addresses; the same numbers make the same ones. */
export interface CatalogueSize {
  readonly domains: number;
  readonly addresses: number;
  readonly seed: number;
}

/** The first message to a lab. */
export interface LabOrder {
  readonly type: 'open';
  readonly size: CatalogueSize;
  readonly roundTripMs: number;
}

/** Further messages to a lab: to begin counting anew, and to tell what it has counted. */
export type LabRequest = LabOrder | { readonly type: 'begin' } | { readonly type: 'tell' };

export type LabAnswer =
  | { readonly type: 'open'; readonly surroundings: LabSurroundings }
  | { readonly type: 'begun' }
  | { readonly type: 'told'; readonly figures: LabFigures };

/** Where the lab is. */
export interface LabSurroundings {
  readonly dnsServer: string;
  readonly smtpPort: number;
  readonly httpsPort: number;
  readonly caCertificatePem: string;
  readonly allowedRanges: readonly string[];
}

/** What the lab has seen of one prober, over all hosts. */
export interface LabFigures {
  readonly connections: number;
  readonly roundTrips: number;
  readonly sessionsOpen: number;
  /** The most sessions that any one host saw at once. */
  readonly sessionsPeakMax: number;
  readonly recipientsAsked: number;
  readonly dnsQueries: number;
  readonly webRequests: number;
  /** What a well-behaved prober never does, and questions outside of the catalogue; the first few in words. */
  readonly complaints: number;
  readonly firstComplaints: readonly string[];
  readonly load: Load;
}

/** How busy a process was while a prober was measured. */
export interface Load {
  readonly cpuMs: number;
  /** The share of the time in which its event loop had work to do, from 0 to 1. */
  readonly busyShare: number;
  /** How late its timers were, in milliseconds: the 99th percentile and the worst. */
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

/** The first message to a prober. */
export interface ProberOrder {
  readonly type: 'prepare';
  readonly prober: ProberId;
  /** Settings of the engine; the plain prober finds the lab by them too. */
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

/** What a prober has found out, and what that took. */
export interface ProberFigures {
  /** From the first question to the last verdict. */
  readonly elapsedMs: number;
  /** Verdicts by result. */
  readonly results: Readonly<Record<string, number>>;
  /** Verdicts other than the catalogue's; the first few in words. */
  readonly mismatches: number;
  readonly firstMismatches: readonly string[];
  /** The most memory that the process ever held, in bytes. */
  readonly memoryPeakBytes: number;
  /** What it held with everything loaded and nothing asked yet. */
  readonly memoryAtStartBytes: number;
  readonly load: Load;
}
