import type { AccountId } from '@mailproof/shared-types';
import { hashApiKey } from './api-key.ts';
import { type KeySealer, SealFault } from './key-sealer.ts';
import type { KeyStore, SealedStoredKey, ShownKey } from './key-store.ts';

/** Returns the account's key in clear, for its owner. Reseals a copy that is under an earlier key-encryption key. */
export async function showApiKey(
  ports: { readonly keys: KeyStore; readonly sealer: KeySealer },
  accountId: AccountId,
): Promise<ShownKey> {
  const stored = await ports.keys.activeKey(accountId);
  if (!stored) {
    return { kind: 'none' };
  }
  const { sealed } = stored;
  if (!sealed) {
    return { kind: 'cannot_be_shown', stored, cause: undefined };
  }
  try {
    const apiKey = await openStored(ports.sealer, { ...stored, sealed });
    if (sealed.kid !== ports.sealer.currentKid) {
      await ports.keys.replaceSealed({ ...stored, sealed }, await ports.sealer.seal(apiKey, accountId));
    }
    return { kind: 'shown', stored, apiKey };
  } catch (error) {
    if (error instanceof SealFault) {
      return { kind: 'cannot_be_shown', stored, cause: error };
    }
    throw error;
  }
}

/** Opens a row's copy and checks that it belongs to this row: a copy of another key of the account is refused too. */
export async function openStored(sealer: KeySealer, stored: SealedStoredKey) {
  const apiKey = await sealer.open(stored.sealed.sealedKey, stored.accountId);
  if (!hashApiKey(apiKey).equals(stored.keySha256)) {
    throw new SealFault(
      'not_authentic',
      `The encrypted copy stored for ${stored.apiKeyId} belongs to another key.`,
    );
  }
  return apiKey;
}
