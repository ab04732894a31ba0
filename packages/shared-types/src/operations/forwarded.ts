import { z } from 'zod';
import { accountId, userId } from '../ids.ts';
import type { Operation } from '../operation.ts';

/** On whose behalf the gateway forwards a request. */
const forwardedParams = { accountId, userId };

/** What the service behind the gateway gets to know of the path. */
export type ForwardedParams<Op extends Operation> = z.output<z.ZodObject<typeof forwardedParams>> &
  z.output<Op['params']>;

/** An application operation as the service behind the gateway answers it. */
export type ForwardedOperation<Op extends Operation> = Operation<
  z.ZodType<ForwardedParams<Op>, ForwardedParams<Op>>,
  Op['query'],
  Op['body'],
  Op['success']['schema']
>;

const publicRoot = '/app/v1/';

/**
 * Parsing fills in defaults and normalises text, so that a body can be longer when it is passed on: a domain of one
 * character has three times its bytes in A-labels, and text in NFC up to three times (UAX #15).
 */
const bodyGrowthMax = 4;

/**
 * The internal twin of an application operation that one service answers whole: the same query, body, answer and
 * problems, below `/internal/v1/accounts/:accountId/users/:userId/`, for the gateway alone. The gateway finds out who
 * has signed in and forwards; the contract stands once (ADR 0028). Both ends parse, so the schemas of the request have to
 * take what they give: parsing their own output must change nothing.
 */
export function forwarded<Op extends Operation>(operation: Op): ForwardedOperation<Op> {
  const { access, path, params } = operation;
  if (access.kind !== 'session' || !path.startsWith(publicRoot) || !(params instanceof z.ZodObject)) {
    throw new Error(`The operation ${operation.id} is none of the application's that a session opens.`);
  }
  const { headers: _headers, ...success } = operation.success;
  const { takesIdempotencyKey: _key, ...parts } = operation;
  return {
    ...parts,
    path: `/internal/v1/accounts/:accountId/users/:userId/${path.slice(publicRoot.length)}`,
    access: { kind: 'service', callers: ['gateway'] },
    params: params.extend(forwardedParams),
    bodyBytesMax: parts.bodyBytesMax * (parts.bodyMediaType === undefined ? bodyGrowthMax : 1),
    // The request is the customer's: what the service refuses of it is for the customer to mend, and no fault of ours.
    problems: [...new Set([...parts.problems, 'invalid_request'])],
    success,
  } as unknown as ForwardedOperation<Op>;
}
