import {
  forwardingRoute,
  type Guard,
  type OperationClient,
  type Peers,
  type RequestContext,
  type Route,
} from '@mailproof/service-kit';
import {
  bodyMediaTypesOf,
  forAssistant,
  forwarded,
  forwardedOperations,
  isForTools,
  type Operation,
  opensByKey,
  withKey,
} from '@mailproof/shared-types';
import type { AccountCaller, AccountGuard } from './guards/gateway-callers.ts';
import { withOpenCursor, withSealedCursorInside } from './page-cursors.ts';

/** Time for the backend service to answer, in milliseconds; for a slow body, counted from its last octet. */
const answerMsMaxDefault = 15_000;
const answerToBodyMsMax = 60_000;

/**
 * Mounts every operation of the application that another service answers (ADR 0028), for keys too (ADR 0067), and for
 * the tool server if tools use it (ADR 0079).
 */
export function forwardedRoutes(guards: ForwardingGuards, peers: Peers<'gateway'>): Route[] {
  return forwardedOperations.flatMap(operation => {
    const twin = forwarded(operation);
    const peer = peers[operation.answeredBy as keyof typeof peers];
    const mount = (each: Operation, guard: Guard<AccountCaller>) => forwardedRoute(each, twin, guard, peer);
    const own = mount(operation, guards.session(operation));
    if (!opensByKey(operation)) {
      return [own];
    }
    const rest = withKey(operation);
    const keyed = mount(rest, guards.key(operation));
    if (!isForTools(operation)) {
      return [own, keyed];
    }
    const assisted = forAssistant(operation);
    // The guard takes the owner out of the path, so the rest of the request is that of the REST API.
    const { handle } = mount(rest, guards.assistant(assisted));
    return [own, keyed, { operation: assisted, handle }];
  });
}

interface ForwardingGuards {
  readonly session: AccountGuard;
  readonly key: AccountGuard;
  readonly assistant: AccountGuard;
}

/**
 * Admits a caller and forwards the request on behalf of their account. The backend service parses the body and
 * reports its errors; its answer is passed back as octets (ADR 0064). A streamed body is forwarded as it arrives, and
 * never twice (ADR 0034).
 */
function forwardedRoute(
  operation: Operation,
  twin: Operation,
  guard: Guard<AccountCaller>,
  peer: OperationClient,
): Route {
  return forwardingRoute(operation, guard, async ({ params, query, body }, context) => {
    const { account, userId, cursors } = context.caller;
    const request = {
      params: { ...(params as object), accountId: account.accountId, callerId: userId },
      query: await withOpenCursor(query, cursors),
      body,
    };
    const { headers, content } = await peer.forward(twin, request, {
      deadlineMs: deadlineOf(operation),
      signal: context.signal,
      headers: passedOn(operation, context),
    });
    // Passes back only the headers that the contract names.
    const mediaType = operation.success.otherMediaTypes ? ['content-type'] : [];
    for (const name of [...Object.keys(operation.success.headers ?? {}), ...mediaType]) {
      const value = headers[name];
      if (value !== undefined) {
        context.setHeader(name, value);
      }
    }
    return Buffer.isBuffer(content) ? withSealedCursorInside(content, cursors) : content;
  });
}

function deadlineOf({ answerMsMax = answerMsMaxDefault, bodyMsMax }: Operation): number {
  return bodyMsMax === undefined ? answerMsMax : bodyMsMax + answerToBodyMsMax;
}

/** Forwarded headers beyond those in the contract; the service checks the idempotency key itself. */
function passedOn(
  operation: Operation,
  { requestId, header }: Pick<RequestContext<unknown>, 'requestId' | 'header'>,
): Record<string, string> {
  const key = operation.takesIdempotencyKey ? header('idempotency-key') : undefined;
  const lastEventId = header('last-event-id');
  const mediaType = bodyMediaTypesOf(operation).length > 1 ? header('content-type') : undefined;
  return {
    'x-request-id': requestId,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    ...(mediaType !== undefined && { 'content-type': mediaType }),
  };
}
