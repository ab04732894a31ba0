import { createSealer, type KeyRing } from '@mailproof/service-kit';

/** The sealers of what the authorization server keeps, one for each kind, so that none opens as another. */
export function createSealers(ring: KeyRing) {
  return {
    signingKey: createSealer(ring, 'mailproof-signing-key'),
    client: createSealer(ring, 'mailproof-oauth-client'),
    refreshToken: createSealer(ring, 'mailproof-refresh-token'),
    record: createSealer(ring, 'mailproof-oauth-record'),
  };
}
