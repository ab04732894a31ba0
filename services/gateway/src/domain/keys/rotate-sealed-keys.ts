import type { ApiKeyId } from '@mailproof/shared-types';
import { type KeySealer, SealFault } from './key-sealer.ts';
import type { KeyStore, SealedStoredKey } from './key-store.ts';
import { openStored } from './show-api-key.ts';

export interface Rotation {
  readonly resealed: number;
  /** Keys whose copy could not be opened; they are left unchanged. */
  readonly failed: readonly ApiKeyId[];
}

const batchMax = 200;

/**
 * Reseals every copy that is not under the current key-encryption key. Can be interrupted and rerun at any time, and
 * run concurrently with a service or with itself: a copy is replaced only if it is still the one that was read.
 */
export async function rotateSealedKeys(
  ports: { readonly keys: KeyStore; readonly sealer: KeySealer },
  onProgress: (done: number, total: number) => void,
): Promise<Rotation> {
  const { currentKid } = ports.sealer;
  const total = await ports.keys.countSealedUnderOthers(currentKid);
  const failed: ApiKeyId[] = [];
  let resealed = 0;
  let seen = 0;
  let after: ApiKeyId | undefined;
  for (;;) {
    const batch = await ports.keys.sealedUnderOthers(currentKid, after, batchMax);
    for (const stored of batch) {
      const isResealed = await reseal(ports, stored);
      resealed += isResealed ? 1 : 0;
      if (isResealed === undefined) {
        failed.push(stored.apiKeyId);
      }
    }
    seen += batch.length;
    onProgress(seen, Math.max(total, seen));
    after = batch.at(-1)?.apiKeyId;
    if (batch.length < batchMax) {
      return { resealed, failed };
    }
  }
}

/** Returns whether the copy was replaced; undefined if it could not be opened. */
async function reseal(
  { keys, sealer }: { readonly keys: KeyStore; readonly sealer: KeySealer },
  stored: SealedStoredKey,
): Promise<boolean | undefined> {
  try {
    const apiKey = await openStored(sealer, stored);
    return await keys.replaceSealed(stored, await sealer.seal(apiKey, stored.accountId));
  } catch (error) {
    if (error instanceof SealFault) {
      return undefined;
    }
    throw error;
  }
}
