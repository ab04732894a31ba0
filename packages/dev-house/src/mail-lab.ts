import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from './deadline.ts';
import { gracefulStop, lastLines, stopProcess } from './processes.ts';
import { entryOfLab } from './service-bundles.ts';
import type { Environment } from './service-environment.ts';
import { stateFiles } from './state-files.ts';

/** The addresses that the mail lab reports when it is ready. */
export interface MailLabAddresses {
  /** `host:port` of its DNS server. */
  readonly dnsServer: string;
  readonly smtpPort: number;
  readonly httpsPort: number;
  readonly caCertificatePem: string;
  /** CIDR ranges of loopback that contain its mail hosts. */
  readonly allowedRanges: readonly string[];
}

export interface RunningMailLab extends MailLabAddresses {
  readonly pid: number;
  /** Settings that direct a service to the lab instead of the real internet. */
  readonly environment: Environment;
  stop(): Promise<void>;
}

const startDeadlineMs = 120_000;

/** Starts the simulated mail internet of `packages/mail-lab` as a separate process. */
export async function startMailLab({
  projectRoot,
  stateDir,
  onPid,
}: {
  readonly projectRoot: string;
  readonly stateDir: string;
  readonly onPid: (pid: number) => void;
}): Promise<RunningMailLab> {
  const entry = entryOfLab(projectRoot);
  if (!existsSync(entry.file))
    throw new Error(`The mail lab is not part of this checkout: ${entry.file} does not exist.`);
  const logFile = join(stateDir, stateFiles.logs, 'mail-lab.log');
  const log = openSync(logFile, 'w');
  const child = fork(entry.file, {
    detached: true,
    execArgv: [],
    env: { ...process.env, ...entry.environment },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  if (child.pid) onPid(child.pid);
  try {
    const ready = new Promise<MailLabAddresses>((resolve, reject) => {
      child.on('message', (message: { type?: string } & MailLabAddresses) => {
        if (message.type === 'ready') resolve(message);
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`The mail lab did not start:\n${lastLines(logFile)}`)));
    });
    const addresses = await within('The mail lab starts', ready, startDeadlineMs);
    const caFile = join(stateDir, stateFiles.labCertificate);
    await writeFile(caFile, addresses.caCertificatePem);
    const pid = child.pid as number;
    return { ...addresses, pid, environment: labEnvironment(addresses, caFile), stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop(): Promise<void> {
    if (!child.pid || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    await stopProcess(child.pid, gracefulStop);
    await within('The mail lab stops', gone, 1_000);
  }
}

export function labEnvironment(lab: MailLabAddresses, caFile: string): Environment {
  return {
    VALIDATION_DNS_SERVERS: lab.dnsServer,
    VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
    VALIDATION_SMTP_PORT: String(lab.smtpPort),
    VALIDATION_HTTPS_PORT: String(lab.httpsPort),
    VALIDATION_CA_FILE: caFile,
  };
}
