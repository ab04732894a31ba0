import {
  type CallOptions,
  type OperationClient,
  type RequestContext,
  type Route,
  route,
} from '@mailproof/service-kit';
import {
  forwarded,
  type Operation,
  type OperationRequest,
  type OperationResult,
} from '@mailproof/shared-types';
import { readKey } from './charging-route.ts';
import type { SessionGuard } from './guards/session-guard.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

/** Time that the service behind gets to answer, in milliseconds; where a body comes in slowly, from its last octet on. */
const answerMsMax = 15_000;
const answerToBodyMsMax = 60_000;

/**
 * Mounts an application operation that another service answers whole: lets in whoever has signed in, and forwards the
 * request on behalf of their account (ADR 0028). A body that is a stream is passed on octet by octet, and never twice
 * (ADR 0034).
 */
export function forwardedRoute<Op extends Operation>(
  operation: Op,
  guard: SessionGuard,
  peer: OperationClient,
  { deadlineMs = deadlineOf(operation) }: { readonly deadlineMs?: number } = {},
): Route {
  const twin = forwarded(operation);
  return route(operation, guard(operation), async ({ params, query, body }, context) => {
    const { account, userId, cursors } = context.caller;
    const request = {
      params: { ...(params as object), accountId: account.accountId, userId },
      query: await withOpenCursor(query, cursors),
      body,
    } as OperationRequest<typeof twin>;
    const options = {
      deadlineMs,
      signal: context.signal,
      headers: passedOn(operation, context),
      onAnswerHeaders: passingBack(operation, context),
    };
    const answer = (await peer.call(twin, request, options)) as OperationResult<Op>;
    return withSealedCursor(answer, cursors);
  });
}

function deadlineOf({ bodyMsMax }: Operation): number {
  return bodyMsMax === undefined ? answerMsMax : bodyMsMax + answerToBodyMsMax;
}

/** What the service gets to see of the request besides what the contract describes. */
function passedOn(
  { takesIdempotencyKey }: Operation,
  { requestId, header }: Pick<RequestContext<unknown>, 'requestId' | 'header'>,
): Record<string, string> {
  const key = takesIdempotencyKey ? readKey(header('idempotency-key')) : undefined;
  const lastEventId = header('last-event-id');
  return {
    'x-request-id': requestId,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
}

/** What the client gets to see of the headers of a stream: those that the contract names. */
function passingBack(
  { success }: Operation,
  { setHeader }: Pick<RequestContext<unknown>, 'setHeader'>,
): NonNullable<CallOptions['onAnswerHeaders']> {
  return headers => {
    for (const name of Object.keys(success.headers ?? {})) {
      const value = headers[name];
      if (value !== undefined) {
        setHeader(name, value);
      }
    }
  };
}
