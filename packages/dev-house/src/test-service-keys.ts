import { newSigningKey, publicKeySet, type ServiceName, services } from '@mailproof/installation';
import type { JWK } from 'jose';

export interface TestServiceKeys {
  /** The private key of each service. */
  readonly signingKeys: Readonly<Record<ServiceName, JWK>>;
  /** The settings of one service that has the others for peers. */
  settingsOf(service: ServiceName): { SERVICE_SIGNING_KEY: string; SERVICE_PEER_KEYS: string };
}

/** Makes fresh keys for every service, so that a test can speak to one service in another's name. */
export async function testServiceKeys(): Promise<TestServiceKeys> {
  const pairs = await Promise.all(
    services.map(async ({ name }) => [name, await newSigningKey(name)] as const),
  );
  const signingKeys = Object.fromEntries(pairs) as Record<ServiceName, JWK>;
  return {
    signingKeys,
    settingsOf: service => ({
      SERVICE_SIGNING_KEY: JSON.stringify(signingKeys[service]),
      SERVICE_PEER_KEYS: JSON.stringify(publicKeySet({ signingKeys })),
    }),
  };
}
