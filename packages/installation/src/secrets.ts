import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { type SecretName, type ServiceDefinition, serviceDefinitions } from './services.ts';

/** The secrets that only the services of one installation need. */
export interface ServiceSecrets extends Readonly<Record<SecretName, string>> {
  /** The private signing key of each service; `kid` is the name of the service. */
  readonly signingKeys: Readonly<Record<string, JWK>>;
}

/** Keeps the known secrets and creates the missing ones. */
export async function completeSecrets(known: Partial<ServiceSecrets> = {}): Promise<ServiceSecrets> {
  const signingKeys: Record<string, JWK> = { ...known.signingKeys };
  for (const { name } of serviceDefinitions) signingKeys[name] ??= await newSigningKey(name);
  return {
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
}

/**
 * Returns one service's settings that are secret or contain secrets, except those of its stores, and no other service's
 * secrets.
 */
export function secretSettingsOf(
  service: ServiceDefinition,
  secrets: ServiceSecrets,
): Record<string, string> {
  const named = Object.entries(service.secretSettings ?? {}).map(([setting, name]) => [
    setting,
    secrets[name],
  ]);
  return {
    SERVICE_SIGNING_KEY: JSON.stringify(secrets.signingKeys[service.name]),
    SERVICE_PEER_KEYS: JSON.stringify(publicKeySet(secrets)),
    ...Object.fromEntries(named),
  };
}

/** Returns the public keys of all services, which every service may know. */
export function publicKeySet({ signingKeys }: Pick<ServiceSecrets, 'signingKeys'>): { keys: JWK[] } {
  return { keys: Object.values(signingKeys).map(({ d: _private, ...publicPart }) => publicPart) };
}

export async function newSigningKey(service: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'EdDSA', use: 'sig', kid: service };
}

/** Letters and digits only, because it is used in URLs and in a configuration file. */
export function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** A ring of one key-encryption key, in the format of the settings. */
function newKeyRing(): string {
  return `house-1:${randomBytes(32).toString('base64')}`;
}
