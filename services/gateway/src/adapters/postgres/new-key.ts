import { type AccountId, newId } from '@mailproof/shared-types';
import type { MadeKey } from '../../domain/billing/billing-store.ts';
import { displayPrefixOf, generateApiKey, hashApiKey } from '../../domain/keys/api-key.ts';
import type { KeySealer } from '../../domain/keys/key-sealer.ts';
import type { Prisma } from './generated/client.ts';

/** Creates a key and its row. Without a sealer, there is no sealed copy, and the key can be shown only this once. */
export async function newKey(
  accountId: AccountId,
  sealer: KeySealer | undefined,
): Promise<MadeKey & { readonly row: Prisma.ApiKeyUncheckedCreateInput }> {
  const apiKeyId = newId('apiKey');
  const apiKey = generateApiKey();
  const sealed = await sealer?.seal(apiKey, accountId);
  const row = {
    apiKeyId,
    accountId,
    keySha256: new Uint8Array(hashApiKey(apiKey)),
    displayPrefix: displayPrefixOf(apiKey),
    sealedKey: sealed?.sealedKey ?? null,
    sealedKid: sealed?.kid ?? null,
  };
  return { apiKeyId, apiKey, row };
}
