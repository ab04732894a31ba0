import { Problem, type RequestContext } from '@mailproof/service-kit';
import { type AccountId, limits, type Operation, type RequestId, requestId } from '@mailproof/shared-types';
import { isRequestKey, type RequestKey, requestKeyOf } from '../domain/discovery/request-key.ts';

/**
 * Reads the `Idempotency-Key` that the gateway has passed on.
 *
 * @throws Problem `invalid_request`
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
  if (!isRequestKey(key)) {
    const detail = `An \`Idempotency-Key\` has 1 to ${limits.idempotencyKeyCharactersMax} printable ASCII characters.`;
    throw new Problem('invalid_request', { detail });
  }
  return requestKeyOf(accountId, key, operation.id, request);
}

/** The id of the request at the gateway, by which customers and operators know it. */
export function publicRequestId(context: Pick<RequestContext<unknown>, 'header' | 'requestId'>): RequestId {
  const parsed = requestId.safeParse(context.header('x-request-id'));
  return parsed.success ? parsed.data : context.requestId;
}
