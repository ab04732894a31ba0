import { createHmac, hkdfSync } from 'node:crypto';
import { type AccountId, limits } from '@mailproof/shared-types';

/** What a request is known again by, when it comes with an `Idempotency-Key`. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

/** Whether a header can be an `Idempotency-Key`: 1 to so many printable ASCII characters. */
export function isRequestKey(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text) && text.length <= limits.idempotencyKeyCharactersMax;
}

/**
 * Turns an `Idempotency-Key` into what is stored of it (HKDF, RFC 5869): neither the key nor what was asked under it can
 * be read from the hashes, as long as the key cannot be guessed.
 */
export function requestKeyOf(
  accountId: AccountId,
  key: string,
  operationId: string,
  request: unknown,
): RequestKey {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', key, accountId, `mailproof discovery ${operationId} ${purpose}`, 32));
  const requestHash = createHmac('sha256', derive('request')).update(inOrder(request)).digest();
  return { hash: derive('key'), requestHash };
}

/** JSON with members in the order of their names. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
