import type { Request, Response } from 'express';

/** What pages of other websites may do at some paths (Fetch standard, "CORS protocol"). */
export interface CorsRule {
  /** Whether pages of this origin may read the answers. */
  readonly isAllowed: (origin: string) => boolean;
  readonly methods: readonly string[];
  /** Request headers that they may send. */
  readonly headers: readonly string[];
  /** Response headers that they may read besides the usual ones. */
  readonly exposedHeaders: readonly string[];
}

/** How long a browser remembers the answer to a preflight, in seconds. */
const preflightSeconds = 600;

/**
 * Puts the headers on an answer that let a page read it, and answers a preflight, which carries no credentials and so
 * must come ahead of every check of them. True when the request is answered. Credentials mode is never allowed: no
 * cookie of a browser has a meaning here.
 */
export function answerCors(request: Request, response: Response, rule: CorsRule): boolean {
  response.vary('Origin');
  const origin = request.get('origin');
  const isPreflight =
    request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;
  if (origin !== undefined && rule.isAllowed(origin)) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', rule.exposedHeaders.join(', '));
    if (isPreflight) {
      response.setHeader('access-control-allow-methods', rule.methods.join(', '));
      response.setHeader('access-control-allow-headers', rule.headers.join(', '));
      response.setHeader('access-control-max-age', preflightSeconds);
    }
  }
  if (isPreflight) {
    response.status(204).end();
  }
  return isPreflight;
}
