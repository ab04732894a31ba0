import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { completeSecrets, newPassword, type ServiceSecrets } from '@mailproof/installation';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** Everything secret that a house makes up for itself. */
export interface Secrets extends ServiceSecrets {
  /** Tells this installation from one that used the same state directory before. */
  readonly installationId: string;
  readonly postgresPassword: string;
  readonly redisPassword: string;
  /** Keys the roles' passwords when the given address of the administrator holds none. */
  readonly rolePasswordSeed: string;
}

/** Reads the secrets of a state directory, and makes up whichever are not there yet. */
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
