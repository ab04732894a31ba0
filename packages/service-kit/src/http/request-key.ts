import { createHmac, hkdfSync } from 'node:crypto';
import { type AccountId, limits, type Operation, type RequestId, requestId } from '@mailproof/shared-types';
import { Problem } from '../problem.ts';
import type { RequestContext } from './route.ts';

/** What a request is known again by, when it comes with an `Idempotency-Key`. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

/**
 * Reads the `Idempotency-Key` that the gateway has passed on, and turns it into what is stored of it (HKDF, RFC 5869):
 * neither the key nor what was asked under it can be read from the hashes, as long as the key cannot be guessed.
 *
 * @throws Problem `invalid_request` unless the key has 1 to so many printable ASCII characters
 */
export function readRequestKey(
  operation: Operation,
  accountId: AccountId,
  request: unknown,
  { header }: Pick<RequestContext<unknown>, 'header'>,
): RequestKey | null {
  const key = header('idempotency-key');
  if (key === undefined) {
    return null;
  }
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyCharactersMax) {
    const detail = `An \`Idempotency-Key\` has 1 to ${limits.idempotencyKeyCharactersMax} printable ASCII characters.`;
    throw new Problem('invalid_request', { detail });
  }
  // The word is from the first service that kept such keys; those that are kept depend on it.
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', key, accountId, `mailproof discovery ${operation.id} ${purpose}`, 32));
  const requestHash = createHmac('sha256', derive('request')).update(inOrder(request)).digest();
  return { hash: derive('key'), requestHash };
}

/** The id of the request at the gateway, by which customers and operators know it. */
export function publicRequestId(context: Pick<RequestContext<unknown>, 'header' | 'requestId'>): RequestId {
  const parsed = requestId.safeParse(context.header('x-request-id'));
  return parsed.success ? parsed.data : context.requestId;
}

/** JSON with members in the order of their names. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
