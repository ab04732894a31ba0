import { countRequest, type Guard, Problem, type RateWindows, refusalHeaders } from '@mailproof/service-kit';
import { sessionCookie } from '@mailproof/shared-types';
import { deviceCookie } from '../../domain/users/known-device.ts';
import { parseSessionToken } from '../../domain/users/session.ts';
import type { Visitor } from '../../domain/users/sign-in.ts';
import { clientOf, cookieOf, refuseCrossSite } from './browser.ts';

export interface VisitorGuardOptions {
  readonly rateLimiter: RateWindows;
  /** Only pages from this address may send state-changing requests. */
  readonly publicBaseUrl: string;
  /** The most requests per minute from one client address, to all operations with this guard. */
  readonly requestsPerMinuteMax: number;
}

const minuteMs = 60_000;

/** Admits requests from our pages at a limited rate per client address: each may cost a password hash. */
export function createVisitorGuard(options: VisitorGuardOptions): Guard<Visitor> {
  return async (request, response) => {
    refuseCrossSite(request, options.publicBaseUrl);
    const client = clientOf(request);
    const decision = await countRequest(options.rateLimiter, response, {
      subject: `visitors:${client.network}`,
      limit: options.requestsPerMinuteMax,
      windowMs: minuteMs,
    });
    if (!decision.admitted) {
      throw new Problem('too_many_requests', {
        detail: `A client address can make ${decision.limit} such requests per minute.`,
        headers: refusalHeaders(request, decision),
      });
    }
    return {
      client,
      requestId: response.locals['requestId'] as string,
      deviceCookie: cookieOf(request, deviceCookie),
      sessionToken: parseSessionToken(cookieOf(request, sessionCookie)),
    };
  };
}
