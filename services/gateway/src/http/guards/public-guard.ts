import {
  countRequest,
  type Guard,
  networkOf,
  Problem,
  type RateWindows,
  refusalHeaders,
} from '@mailproof/service-kit';

export interface PublicGuardOptions {
  readonly rateLimiter: RateWindows;
  /** Requests that one client address may make in an hour, to all operations with this guard. */
  readonly requestsPerHourMax: number;
}

const hourMs = 3_600_000;

/** Lets in everybody, each client address only so often: nobody else stands between the internet and what follows. */
export function createPublicGuard({ rateLimiter, requestsPerHourMax }: PublicGuardOptions): Guard<undefined> {
  return async (request, response) => {
    const decision = await countRequest(rateLimiter, response, {
      subject: `public:${networkOf(request.ip)}`,
      limit: requestsPerHourMax,
      windowMs: hourMs,
    });
    if (!decision.admitted) {
      throw new Problem('too_many_requests', {
        detail: `An address may make ${requestsPerHourMax} such requests in an hour.`,
        headers: refusalHeaders(request, decision),
      });
    }
    return undefined;
  };
}
