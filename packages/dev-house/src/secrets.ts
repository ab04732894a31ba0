import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { completeSecrets, newPassword, type ServiceSecrets } from '@mailproof/installation';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** All secrets that a house creates for itself. */
export interface Secrets extends ServiceSecrets {
  /** Distinguishes this installation from an earlier one in the same state directory. */
  readonly installationId: string;
  readonly postgresPassword: string;
  readonly redisPassword: string;
  /** Seed for the roles' passwords if the given administrator URL contains no password. */
  readonly rolePasswordSeed: string;
}

/** Reads the secrets of a state directory and creates the missing ones. */
export async function keepSecrets(stateDir: string): Promise<Secrets> {
  const path = join(stateDir, stateFiles.secrets);
  const known = readJsonIfPresent<Partial<Secrets>>(path) ?? {};
  const secrets: Secrets = {
    installationId: randomBytes(4).toString('hex'),
    postgresPassword: newPassword(),
    redisPassword: newPassword(),
    rolePasswordSeed: newPassword(),
    ...known,
    ...(await completeSecrets(known)),
  };
  if (JSON.stringify(secrets) !== JSON.stringify(known)) await writePrivateJson(path, secrets);
  return secrets;
}
