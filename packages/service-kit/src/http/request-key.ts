import { createHmac, hkdfSync } from 'node:crypto';
import { type AccountId, limits, type Operation, type RequestId, requestId } from '@mailproof/shared-types';
import { Problem } from '../problem.ts';
import type { RequestContext } from './route.ts';

/** Identifies a request with an `Idempotency-Key`, so that a repeated request is recognized. */
export interface RequestKey {
  readonly hash: Uint8Array;
  readonly requestHash: Uint8Array;
}

/**
 * Reads the `Idempotency-Key` that the gateway passed on and derives its stored form (HKDF, RFC 5869). The hashes
 * reveal neither the key nor the request, as long as the key cannot be guessed.
 *
 * @throws Problem `invalid_request` unless the key consists of printable ASCII characters within the length limit
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
    const detail = `An \`Idempotency-Key\` must have 1 to ${limits.idempotencyKeyCharactersMax} printable ASCII characters.`;
    throw new Problem('invalid_request', { detail });
  }
  // The constant names the first service that stored such keys, and stored keys depend on it.
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', key, accountId, `mailproof discovery ${operation.id} ${purpose}`, 32));
  const requestHash = createHmac('sha256', derive('request')).update(inOrder(request)).digest();
  return { hash: derive('key'), requestHash };
}

/** Returns the request's id at the gateway, which customers and operators see. */
export function publicRequestId(context: Pick<RequestContext<unknown>, 'header' | 'requestId'>): RequestId {
  const parsed = requestId.safeParse(context.header('x-request-id'));
  return parsed.success ? parsed.data : context.requestId;
}

/** Returns JSON with members sorted by name. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
