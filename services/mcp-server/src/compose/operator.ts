import { createSealer, type KeyRing } from '@mailproof/service-kit';
import { openDatabase } from '../adapters/postgres/open.ts';
import { type Resealing, reseal } from '../adapters/postgres/reseal.ts';
import { createSigningKeyStore } from '../adapters/postgres/signing-key-store.ts';
import type { OperatorConfig } from '../config.ts';
import type { SigningKeyStore } from '../domain/oauth/signing-key.ts';

/** The operations that the operator's commands use. */
export interface Operator {
  readonly signingKeys: SigningKeyStore;
  /** The id of the key-encryption key that seals. */
  readonly currentKid: string;
  reseal(): Promise<Resealing>;
  close(): Promise<void>;
}

export function composeOperator(config: OperatorConfig): Operator {
  const database = openDatabase({
    url: config.DATABASE_URL,
    connectionsMax: 2,
    onIdleError: () => undefined,
  });
  const sealers = createSealers(config.OAUTH_ENCRYPTION_KEYS);
  return {
    signingKeys: createSigningKeyStore(database.pool, sealers.signingKey),
    currentKid: sealers.signingKey.currentKid,
    reseal: () => reseal(database.pool, sealers),
    close: () => database.close(),
  };
}

/**
 * Creates the authorization server's sealers, one for each kind of data, so that one kind cannot be opened as another.
 */
export function createSealers(ring: KeyRing) {
  return {
    signingKey: createSealer(ring, 'mailproof-signing-key'),
    client: createSealer(ring, 'mailproof-oauth-client'),
    refreshToken: createSealer(ring, 'mailproof-refresh-token'),
    record: createSealer(ring, 'mailproof-oauth-record'),
  };
}
