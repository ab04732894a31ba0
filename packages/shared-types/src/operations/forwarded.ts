import { z } from 'zod';
import { type AccountId, accountId, type CreatorId, creatorId, type UserId, userId } from '../ids.ts';
import { type Access, keyScopeOf, type Operation } from '../operation.ts';

/** The path parameters that the service behind the gateway receives: the account and the caller, then its own. */
export type ForwardedParams<Op extends Operation> = {
  readonly accountId: AccountId;
  /** The user; or the API key, if one opens the operation. */
  readonly callerId: Op['access'] extends { readonly byKey: object } ? CreatorId : UserId;
} & z.output<Op['params']>;

type ServiceAccess = Extract<Access, { kind: 'service' }>;

/** An application operation in the form that the service behind the gateway answers. */
export type ForwardedOperation<Op extends Operation> = Operation<
  z.ZodType<ForwardedParams<Op>, ForwardedParams<Op>>,
  Op['query'],
  Op['body'],
  Op['success']['schema'],
  Op['answeredBy'],
  ServiceAccess
>;

const publicRoot = '/app/v1/';

/**
 * The internal counterpart of an application operation that one service answers: the same query, body, answer and
 * problems, below `/internal/v1/accounts/:accountId/users/:callerId/`, for the gateway only. The gateway authenticates
 * the caller and forwards the request, so the contract is written only once (ADR 0028). Both ends parse the path and the
 * query, so their schemas must be idempotent; only the service parses the body (ADR 0064).
 */
export function forwarded<Op extends Operation>(operation: Op): ForwardedOperation<Op> {
  const { access, path, params } = operation;
  if (access.kind !== 'session' || !path.startsWith(publicRoot) || !(params instanceof z.ZodObject)) {
    throw new Error(`The operation ${operation.id} is not an application operation with a session.`);
  }
  const { headers: _headers, ...success } = operation.success;
  const { takesIdempotencyKey: _key, ...parts } = operation;
  return {
    ...parts,
    path: `/internal/v1/accounts/:accountId/users/:callerId/${path.slice(publicRoot.length)}`,
    access: { kind: 'service', callers: ['gateway'] },
    params: params.extend({ accountId, callerId: keyScopeOf(operation) ? creatorId : userId }),
    // The customer wrote the request: if the service refuses it, the customer must correct it, and it is not an
    // internal error.
    problems: [...new Set([...parts.problems, 'invalid_request', 'malformed_json'])],
    success,
  } as unknown as ForwardedOperation<Op>;
}
