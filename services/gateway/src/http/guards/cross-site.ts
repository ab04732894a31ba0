import { Problem } from '@mailproof/service-kit';
import type { Request } from 'express';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what a page of another website makes a browser send (ADR 0021). Browsers say so in `Sec-Fetch-Site`, which no
 * page can forge; older ones send `Origin`, which must be our own. Who sends neither is no browser, and has no cookies
 * that somebody else could use.
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
