import { Problem } from '../problem.ts';

/** Error codes of Node, Postgres (appendix A of its manual) and Prisma for a store that cannot be reached. */
const awayCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Shutting down, crashed, starting up; too many connections.
  '57P01',
  '57P02',
  '57P03',
  '53300',
  // The database does not exist, as during a restore; a statement that exceeded its timeout.
  '3D000',
  '57014',
  // Connection exceptions.
  '08000',
  '08001',
  '08003',
  '08006',
  // Prisma's own: unreachable, timed out, closed the connection.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  // The kinds of Prisma's driver adapter.
  'DatabaseNotReachable',
  'DatabaseDoesNotExist',
  'ConnectionClosed',
  'TooManyConnections',
  'SocketTimeout',
]);

/** Messages of errors without a code: from the Postgres driver, the Redis driver, and a Redis that is starting. */
const unavailableMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|is not queryable|Stream isn't writeable|Connection is closed|Command timed out|max retries per request|^(?:LOADING|READONLY|MASTERDOWN) /;

const depthMax = 6;

/** Whether an error, or its cause, says that a store is unreachable, so that a retry makes sense. */
export function isStoreUnavailable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > depthMax) {
    return false;
  }
  const { code, kind, originalCode, message, cause, meta, errors } = error as Record<string, unknown>;
  return (
    awayCodes.has(code) ||
    awayCodes.has(kind) ||
    awayCodes.has(originalCode) ||
    (typeof message === 'string' && unavailableMessages.test(message)) ||
    [cause, meta, (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError].some(inner =>
      isStoreUnavailable(inner, depth + 1),
    ) ||
    (Array.isArray(errors) && errors.some(inner => isStoreUnavailable(inner, depth + 1)))
  );
}

/** Whether an error means that a store or a service is unavailable, so that waiting for it makes sense. */
export function isUnavailable(error: unknown): boolean {
  return (error instanceof Problem && error.code === 'service_unavailable') || isStoreUnavailable(error);
}
