import { networkOf, Problem } from '@mailproof/service-kit';
import { limits, sessionCookie } from '@mailproof/shared-types';
import type { Request } from 'express';
import type { Client } from '../../domain/accounts/signed-in.ts';
import { deviceCookie } from '../../domain/users/known-device.ts';
import type { NewSession } from '../../domain/users/sign-in.ts';

/** What is recorded of a request's origin. */
export function clientOf(request: Request): Client {
  return clientFrom(request.ip, request.get('user-agent'));
}

/** The same for a client whose browser uses another of our services. */
export function clientFrom(address: string | undefined, userAgent = ''): Client {
  return {
    network: networkOf(address),
    userAgent: userAgent.replace(/[^\x20-\x7e]/g, '?').slice(0, limits.userAgentCharactersMax),
  };
}

/** The value of a cookie in the request. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) {
      return pair.slice(at + 1).trim();
    }
  }
  return undefined;
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const deviceCookieSeconds = 365 * 86_400;

/** The `Set-Cookie` headers of a new session. */
export function cookiesOf({ token, device }: NewSession, sessionSeconds: number): readonly string[] {
  return [
    `${sessionCookie}=${token}; Max-Age=${sessionSeconds}; ${attributes}`,
    `${deviceCookie}=${device}; Max-Age=${deviceCookieSeconds}; ${attributes}`,
  ];
}

/** Clears the session cookie. The device cookie stays; it says only that a user once signed in there. */
export const noSessionCookie = `${sessionCookie}=; Max-Age=0; ${attributes}`;

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses requests that another website's page makes a browser send (ADR 0021). Browsers report this in
 * `Sec-Fetch-Site`, which no page can forge; older ones send `Origin`, which must be ours. A client that sends neither
 * is not a browser, and has no cookies that another site could use.
 */
export function refuseCrossSite(request: Request, publicBaseUrl: string): void {
  if (safeMethods.has(request.method)) {
    return;
  }
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const isOurs =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || origin === new URL(publicBaseUrl).origin;
  if (!isOurs) {
    throw new Problem('cross_site_request');
  }
}
