/** Codes by which Node, Postgres (appendix A of its manual) and Prisma say that a store could not be reached. */
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
  // No such database, as while one is being restored; a statement that took longer than its time-out.
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

/** What the driver of Postgres has no code for, then what that of Redis has none for, then what Redis says while it starts. */
const awayMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|is not queryable|Stream isn't writeable|Connection is closed|Command timed out|max retries per request|^(?:LOADING|READONLY|MASTERDOWN) /;

const depthMax = 6;

/** Whether an error, or what caused it, says that a store could not be reached, so that trying again makes sense. */
export function isStoreAway(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > depthMax) {
    return false;
  }
  const { code, kind, originalCode, message, cause, meta, errors } = error as Record<string, unknown>;
  return (
    awayCodes.has(code) ||
    awayCodes.has(kind) ||
    awayCodes.has(originalCode) ||
    (typeof message === 'string' && awayMessages.test(message)) ||
    [cause, meta, (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError].some(inner =>
      isStoreAway(inner, depth + 1),
    ) ||
    (Array.isArray(errors) && errors.some(inner => isStoreAway(inner, depth + 1)))
  );
}
