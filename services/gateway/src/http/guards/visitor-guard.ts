import { countRequest, type Guard, Problem, type RateWindows, refusalHeaders } from '@mailproof/service-kit';
import { sessionCookie } from '@mailproof/shared-types';
import { deviceCookie } from '../../domain/users/known-device.ts';
import { parseSessionToken } from '../../domain/users/session.ts';
import type { Visitor } from '../../domain/users/sign-in.ts';
import { clientOf } from './client.ts';
import { cookieOf } from './cookies.ts';
import { refuseCrossSite } from './cross-site.ts';

export interface VisitorGuardOptions {
  readonly rateLimiter: RateWindows;
  /** Pages of this address may send requests that change something. */
  readonly publicBaseUrl: string;
  /** Requests that one client address may make in a minute, to all operations with this guard. */
  readonly requestsPerMinuteMax: number;
}

const minuteMs = 60_000;

/** Lets in everybody who comes from a page of ours, each client address only so often: each may cost a password hash. */
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
        detail: `An address may make ${decision.limit} such requests in a minute.`,
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
