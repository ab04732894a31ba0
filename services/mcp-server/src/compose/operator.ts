import { openDatabase } from '../adapters/postgres/open.ts';
import { type Resealing, reseal } from '../adapters/postgres/reseal.ts';
import { createSigningKeyStore } from '../adapters/postgres/signing-key-store.ts';
import type { OperatorConfig } from '../config.ts';
import type { SigningKeyStore } from '../domain/oauth/signing-key.ts';
import { createSealers } from './sealers.ts';

/** What the operator's commands work with. */
export interface Operator {
  readonly signingKeys: SigningKeyStore;
  /** The key-encryption key that seals. */
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
    reseal: () =>
      reseal(database.pool, [
        { table: 'signing_key', key: 'kid', column: 'sealed_private_jwk', sealer: sealers.signingKey },
        { table: 'oauth_client', key: 'client_id', column: 'sealed_metadata', sealer: sealers.client },
        { table: 'refresh_token', key: 'token_sha256', column: 'sealed_token', sealer: sealers.refreshToken },
      ]),
    close: () => database.close(),
  };
}
