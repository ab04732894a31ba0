import { keyScopeOf, type Operation } from '../operation.ts';

const sessionRoot = '/app/v1/';
const keyRoot = '/api/v1/';

/**
 * The same operation for programs, which send an API key instead of a session cookie: below `/api/v1/` in place of
 * `/app/v1/`, with the same parameters, body, answer and price (ADR 0067).
 *
 * @throws Error if no key opens the operation
 */
export function withKey<Op extends Operation>(operation: Op): Operation {
  const { access, path } = operation;
  const scope = opensByKey(operation) ? keyScopeOf(operation) : undefined;
  if (scope === undefined || !path.startsWith(sessionRoot)) {
    throw new Error(`No API key opens the operation ${operation.id}: it is for ${access.kind}.`);
  }
  return {
    ...operation,
    path: `${keyRoot}${path.slice(sessionRoot.length)}`,
    access: { kind: 'apiKey', scope },
  };
}

/** True if an API key opens an operation of the application. */
export function opensByKey(operation: Operation): boolean {
  return operation.access.kind === 'session' && keyScopeOf(operation) !== undefined;
}
