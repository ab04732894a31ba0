import { type Guard, Problem, unavailable } from '@mailproof/service-kit';
import type { RateLimiter } from '../domain/rate-limit.ts';
import { networkOf } from './client-network.ts';

export interface PublicGuardOptions {
  readonly rateLimiter: RateLimiter;
  /** Requests that one client address may make in an hour, to all operations with this guard. */
  readonly requestsPerHourMax: number;
}

const hourMs = 3_600_000;

/** Lets in everybody, each client address only so often: nobody else stands between the internet and what follows. */
export function createPublicGuard({ rateLimiter, requestsPerHourMax }: PublicGuardOptions): Guard<undefined> {
  return async (request, response) => {
    const requestId = response.locals['requestId'] as string;
    const decision = await rateLimiter
      .admit(`public:${networkOf(request.ip)}`, requestId, requestsPerHourMax, hourMs)
      .catch(error => {
        throw unavailable('Requests cannot be counted right now.', error);
      });
    if (!decision.admitted) {
      const seconds = Math.max(1, Math.ceil(decision.resetInMs / 1_000));
      throw new Problem('too_many_requests', {
        detail: `An address may make ${requestsPerHourMax} such requests in an hour.`,
        headers: { 'retry-after': String(seconds) },
      });
    }
    return undefined;
  };
}
