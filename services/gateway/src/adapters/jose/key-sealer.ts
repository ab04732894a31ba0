import { createSealer, type KeyRing, SealFault as OpeningFault } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import { parseApiKey } from '../../domain/keys/api-key.ts';
import { type KeySealer, SealFault } from '../../domain/keys/key-sealer.ts';

/** The type of the sealed copies of API keys. */
const sealedType = 'mailproof-api-key';

/** Seals API keys, each for its account. */
export function createKeySealer(ring: KeyRing): KeySealer {
  const sealer = createSealer(ring, sealedType);
  return {
    currentKid: sealer.currentKid,
    async seal(apiKey, accountId) {
      return { sealedKey: await sealer.seal(apiKey, accountId), kid: sealer.currentKid };
    },
    async open(sealedKey, accountId) {
      const apiKey = parseApiKey(await open(sealedKey, accountId));
      if (!apiKey) {
        throw new SealFault('not_authentic', `The encrypted value of ${accountId} is not an API key.`);
      }
      return apiKey;
    },
  };

  async function open(sealedKey: string, accountId: AccountId): Promise<string> {
    try {
      return await sealer.open(sealedKey, accountId);
    } catch (error) {
      throw error instanceof OpeningFault
        ? new SealFault(error.kind, error.message, { cause: error })
        : error;
    }
  }
}
