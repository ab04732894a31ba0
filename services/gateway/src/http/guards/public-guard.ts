import {
  countRequest,
  type Guard,
  networkOf,
  Problem,
  type RateWindows,
  refusalHeaders,
} from '@mailproof/service-kit';
import type { Visitor } from '../../domain/users/sign-in.ts';
import { clientOf } from './browser.ts';

export interface PublicGuardOptions {
  readonly rateLimiter: RateWindows;
  /** The most requests per hour from one client address, to all operations with this guard. */
  readonly requestsPerHourMax: number;
}

const hourMs = 3_600_000;

/**
 * Admits every client at a limited rate per address: nothing else protects these operations from the internet. The
 * clients are programs, which send no cookies.
 */
export function createPublicGuard({ rateLimiter, requestsPerHourMax }: PublicGuardOptions): Guard<Visitor> {
  return async (request, response) => {
    const decision = await countRequest(rateLimiter, response, {
      subject: `public:${networkOf(request.ip)}`,
      limit: requestsPerHourMax,
      windowMs: hourMs,
    });
    if (!decision.admitted) {
      throw new Problem('too_many_requests', {
        detail: `A client address can make ${requestsPerHourMax} such requests per hour.`,
        headers: refusalHeaders(request, decision),
      });
    }
    return { client: clientOf(request), requestId: response.locals['requestId'] as string };
  };
}
