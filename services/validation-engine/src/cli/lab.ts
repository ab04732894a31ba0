import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './terminal.ts';

/** A mail lab of this process, and the settings that point to it. */
export interface OwnLab {
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts the lab. It is loaded only here, because installations without development packages lack it. */
async function startOwnLab(): Promise<OwnLab> {
  const { startMailLab } = await import('@mailproof/mail-lab').catch((cause: unknown) => {
    throw new UsageError('--lab requires the mail lab, which is available only in a development checkout.', {
      cause,
    });
  });
  const lab = await startMailLab();
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-lab-'));
  const caFile = join(folder, 'lab-ca.pem');
  await writeFile(caFile, lab.caCertificatePem);
  return {
    settings: {
      VALIDATION_DNS_SERVERS: lab.dnsServer,
      VALIDATION_ALLOWED_PRIVATE_RANGES: lab.allowedRanges.join(','),
      VALIDATION_SMTP_PORT: String(lab.smtpPort),
      VALIDATION_HTTPS_PORT: String(lab.httpsPort),
      VALIDATION_CA_FILE: caFile,
    },
    async close() {
      await lab.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command with the environment, overridden by the settings of the lab if it is used. */
export async function withEnvironment<Result>(
  inLab: boolean,
  environment: NodeJS.ProcessEnv,
  command: (environment: NodeJS.ProcessEnv) => Promise<Result>,
): Promise<Result> {
  if (!inLab) {
    return command(environment);
  }
  const lab = await startOwnLab();
  try {
    return await command({ ...environment, ...lab.settings });
  } finally {
    await lab.close();
  }
}
