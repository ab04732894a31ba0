import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { waitFor } from '@mailproof/dev-house';
import type { ImageProcess, MountedImage, RunSettings } from './mounted-image.ts';

export interface RunningImage {
  readonly uid: number;
  readonly readyAfterMs: number;
  /** Returns the resident memory of its process, in MiB. */
  residentMiB(): number;
  /** Stops it, and fails if it does not exit cleanly. */
  stop(): Promise<void>;
}

export interface RunningLab extends RunningImage {
  readonly caCertificatePem: string;
  /** Settings that direct the validation engine to the lab. */
  readonly environment: Readonly<Record<string, string>>;
}

const readyDeadlineMs = 60_000;
const endDeadlineMs = 60_000;

/** Starts a service and resolves when its image's health check succeeds. */
export async function startUntilReady(image: MountedImage, settings: RunSettings): Promise<RunningImage> {
  const { healthCommand } = image;
  if (!healthCommand) throw new Error(`${image.name} has no health check.`);
  const startedAt = Date.now();
  const child = image.start([], settings);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  await waitFor(
    `${image.name} is ready`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${image.name} ended:\n${(await said).join('')}`);
      const check = image.startProgram(healthCommand, settings);
      const [code] = (await once(check, 'exit')) as [number | null];
      return code === 0;
    },
    { deadlineMs: readyDeadlineMs },
  );
  return runningImage(image, child, startedAt);
}

function runningImage(image: MountedImage, child: ImageProcess, startedAt: number): RunningImage {
  return {
    uid: numberInStatus(child, 'Uid'),
    readyAfterMs: Date.now() - startedAt,
    residentMiB: () => Math.round(numberInStatus(child, 'VmRSS') / 1_024),
    stop: () => stop(child, image.name),
  };
}

/** Starts the mail lab and resolves when it has printed its addresses. */
export async function startLab(image: MountedImage): Promise<RunningLab> {
  const startedAt = Date.now();
  const child = image.start([]);
  const timer = setTimeout(() => child.kill('SIGKILL'), readyDeadlineMs);
  for await (const line of createInterface({ input: child.stdout ?? [] })) {
    clearTimeout(timer);
    const lab = JSON.parse(line) as {
      dnsServer: string;
      smtpPort: number;
      httpsPort: number;
      caCertificatePem: string;
      allowedRanges: string[];
    };
    return {
      ...runningImage(image, child, startedAt),
      caCertificatePem: lab.caCertificatePem,
      environment: {
        VALIDATION_DNS_SERVERS: lab.dnsServer,
        VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(),
        VALIDATION_SMTP_PORT: String(lab.smtpPort),
        VALIDATION_HTTPS_PORT: String(lab.httpsPort),
      },
    };
  }
  throw new Error(`The mail lab ended before it was ready:\n${await text(child.stderr)}`);
}

/** Waits until a program exits successfully; if it fails, the error contains its error output. */
export async function endOf(child: ImageProcess, what: string): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), endDeadlineMs);
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${complaint}`);
}

async function stop(child: ImageProcess, name: string): Promise<void> {
  if (child.exitCode !== null)
    throw new Error(`${name} ended with ${child.exitCode} before it was asked to.`);
  const gone = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), endDeadlineMs);
  child.kill('SIGTERM');
  const [code] = await gone;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${name} ended with ${code} when it was asked to stop.`);
}

/** Each program in the chain replaces itself with the next, so this is the Node process. */
function numberInStatus({ pid }: ImageProcess, field: 'Uid' | 'VmRSS'): number {
  return Number(
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
  );
}
