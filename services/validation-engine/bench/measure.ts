import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpectedVerdict } from '@mailproof/mail-lab';
import { type Child, startChild } from './child.ts';
import type {
  CatalogSize,
  LabAnswer,
  LabFigures,
  LabRequest,
  LabSurroundings,
  ProberAnswer,
  ProberFigures,
  ProberId,
  ProberRequest,
} from './messages.ts';

/** One prober on one list at one latency. */
export interface Trial {
  readonly prober: ProberId;
  readonly roundTripMs: number;
  readonly addresses: readonly ExpectedVerdict[];
}

export interface Conditions {
  readonly size: CatalogSize;
  readonly inFlightMax: number;
  readonly sessionsPerHostMax: number;
  readonly deadlineMs: number;
  /** Additional settings of the engine; they override the benchmark's own. */
  readonly engineSettings: Readonly<Record<string, string>>;
  /** Node options for every prober. */
  readonly nodeOptions: readonly string[];
}

export interface Measurement {
  readonly prober: ProberId;
  readonly roundTripMs: number;
  readonly addresses: number;
  readonly figures: ProberFigures;
  readonly lab: LabFigures;
}

const hangUpDeadlineMs = 30_000;
const lookAgainMs = 100;

/** Measures a prober with empty caches, on a lab that has not been probed yet. */
export async function measure(
  trial: Trial,
  conditions: Conditions,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-bench-'));
  const lab = startChild<LabRequest, LabAnswer>('lab-process.ts');
  const prober = startChild<ProberRequest, ProberAnswer>('prober-process.ts', conditions.nodeOptions);
  try {
    lab.tell({ type: 'open', size: conditions.size, roundTripMs: trial.roundTripMs });
    const { surroundings } = await lab.receive('open', signal);
    const caFile = join(folder, 'lab-ca.pem');
    await writeFile(caFile, surroundings.caCertificatePem);
    const settings = settingsFor(trial.prober, conditions, surroundings, caFile);
    const { deadlineMs, inFlightMax } = conditions;
    prober.tell({ type: 'prepare', prober: trial.prober, settings, deadlineMs, inFlightMax });
    await prober.receive('prepared', signal);
    lab.tell({ type: 'begin' });
    await lab.receive('started', signal);
    prober.onAnswer(answer => {
      if (answer.type === 'progress') {
        onProgress(answer.done);
      }
    });
    prober.tell({ type: 'run', addresses: trial.addresses });
    const { figures } = await prober.receive('done', signal);
    return {
      prober: trial.prober,
      roundTripMs: trial.roundTripMs,
      addresses: trial.addresses.length,
      figures,
      lab: await countsAtTheEnd(lab, signal),
    };
  } finally {
    await Promise.all([prober.stop(), lab.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
}

function settingsFor(
  prober: ProberId,
  { sessionsPerHostMax, engineSettings }: Conditions,
  lab: LabSurroundings,
  caFile: string,
): Record<string, string> {
  return {
    VALIDATION_DNS_SERVERS: lab.dnsServer,
    VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
    VALIDATION_HTTPS_PORT: String(lab.httpsPort),
    VALIDATION_CA_FILE: caFile,
    VALIDATION_HELO_NAME: 'bench.checker.example',
    VALIDATION_EVIDENCE_SOURCES: prober === 'engine-evidence' ? 'default' : 'none',
    VALIDATION_SESSIONS_PER_HOST_MAX: String(sessionsPerHostMax),
    ...engineSettings,
  };
}

/** Reads the counts once all sessions have ended: open ones may add a round trip, for their QUIT. */
async function countsAtTheEnd(lab: Child<LabRequest, LabAnswer>, signal: AbortSignal): Promise<LabFigures> {
  const givesUpAtMs = performance.now() + hangUpDeadlineMs;
  // The load covers only the measured time, which is over now.
  const { load } = await counts(lab, signal);
  for (;;) {
    const figures = await counts(lab, signal);
    if (figures.sessionsOpen === 0) {
      return { ...figures, load };
    }
    if (performance.now() > givesUpAtMs) {
      throw new Error(`The prober left ${figures.sessionsOpen} sessions open.`);
    }
    await sleep(lookAgainMs);
  }
}

async function counts(lab: Child<LabRequest, LabAnswer>, signal: AbortSignal): Promise<LabFigures> {
  const told = lab.receive('told', signal);
  lab.tell({ type: 'tell' });
  return (await told).figures;
}
