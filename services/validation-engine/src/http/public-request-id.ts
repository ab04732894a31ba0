import type { RequestContext } from '@mailproof/service-kit';
import { type RequestId, requestId } from '@mailproof/shared-types';

/** The id of the request at the gateway, by which customers and operators know it. */
export function publicRequestId(context: Pick<RequestContext<unknown>, 'header' | 'requestId'>): RequestId {
  const parsed = requestId.safeParse(context.header('x-request-id'));
  return parsed.success ? parsed.data : context.requestId;
}
