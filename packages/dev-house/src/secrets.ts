import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { serviceDefinitions } from './services.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** Everything secret that a house makes up for itself. */
export interface Secrets {
  /** Tells this installation from one that used the same state directory before. */
  readonly installationId: string;
  readonly postgresPassword: string;
  readonly redisPassword: string;
  /** Keys the roles' passwords when the given address of the administrator holds none. */
  readonly rolePasswordSeed: string;
  /** Keys the hashes under which addresses are remembered. */
  readonly addressHashKey: string;
  /** The ring that seals API keys. */
  readonly keyEncryptionKeys: string;
  /** The ring that seals the tool server's own secrets. */
  readonly oauthEncryptionKeys: string;
  /** The ring that seals the secrets of customers' own providers of profiles. */
  readonly providerEncryptionKeys: string;
  /** The ring that seals where pushes go to, while they are under way. */
  readonly destinationEncryptionKeys: string;
  /** The ring that seals what gives access to CRMs. */
  readonly crmTokenEncryptionKeys: string;
  /** Keys the hashes under which people are suppressed. */
  readonly suppressionHashKey: string;
  /** The private signing key of each service; `kid` is the name of the service. */
  readonly signingKeys: Readonly<Record<string, JWK>>;
}

/** Reads the secrets of a state directory, and makes up whichever are not there yet. */
export async function keepSecrets(stateDir: string): Promise<Secrets> {
  const path = join(stateDir, stateFiles.secrets);
  const known = readJsonIfPresent<Partial<Secrets>>(path) ?? {};
  const signingKeys: Record<string, JWK> = { ...known.signingKeys };
  for (const { name } of serviceDefinitions) signingKeys[name] ??= await newSigningKey(name);
  const secrets: Secrets = {
    installationId: randomBytes(4).toString('hex'),
    postgresPassword: newPassword(),
    redisPassword: newPassword(),
    rolePasswordSeed: newPassword(),
    addressHashKey: newPassword(),
    keyEncryptionKeys: newKeyRing(),
    oauthEncryptionKeys: newKeyRing(),
    providerEncryptionKeys: newKeyRing(),
    destinationEncryptionKeys: newKeyRing(),
    crmTokenEncryptionKeys: newKeyRing(),
    suppressionHashKey: newPassword(),
    ...known,
    signingKeys,
  };
  if (JSON.stringify(secrets) !== JSON.stringify(known)) await writePrivateJson(path, secrets);
  return secrets;
}

/** What every service may know of the others' keys. */
export function publicKeySet({ signingKeys }: Pick<Secrets, 'signingKeys'>): { keys: JWK[] } {
  return { keys: Object.values(signingKeys).map(({ d: _private, ...publicPart }) => publicPart) };
}

export async function newSigningKey(service: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'EdDSA', use: 'sig', kid: service };
}

/** Letters and digits only: it stands in addresses and in a configuration file. */
export function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** A ring of one key-encryption key, as the settings write it. */
function newKeyRing(): string {
  return `house-1:${randomBytes(32).toString('base64')}`;
}
