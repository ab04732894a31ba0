import { Problem } from '@mailproof/service-kit';
import { oauthScopeNames } from '@mailproof/shared-types';
import type { Express, Request, Response } from 'express';
import { resourceMetadataPaths, toolsPath } from '../domain/access-token.ts';

/** The metadata is public, so every page may read it. */
const cors: CorsRule = {
  isAllowed: () => true,
  methods: ['GET'],
  headers: ['mcp-protocol-version'],
  exposedHeaders: [],
};

/**
 * Serves the metadata of the protected resource (RFC 9728), which tells a client who issues its tokens. It is served at
 * the path for the resource and at the path without one, where older clients look. `offline_access` is not a scope of
 * the resource.
 */
export function mountProtectedResourceMetadata(
  app: Express,
  settings: { readonly publicBaseUrl: string; readonly applicationUrl: string },
): void {
  const metadata = {
    resource: `${settings.publicBaseUrl}${toolsPath}`,
    authorization_servers: [settings.publicBaseUrl],
    scopes_supported: oauthScopeNames,
    bearer_methods_supported: ['header'],
    resource_name: 'Mailproof',
    resource_documentation: `${settings.applicationUrl}/docs`,
  };
  for (const path of resourceMetadataPaths) {
    app.all(path, (request, response) => {
      if (answerCors(request, response, cors)) {
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        throw new Problem('method_not_allowed', {
          detail: 'This path allows GET.',
          headers: { allow: 'GET, HEAD' },
        });
      }
      response.setHeader('cache-control', 'public, max-age=300');
      response.json(metadata);
    });
  }
}

/** What pages of other websites may do at certain paths (Fetch standard, "CORS protocol"). */
export interface CorsRule {
  /** Whether pages of this origin may read the responses. */
  readonly isAllowed: (origin: string) => boolean;
  readonly methods: readonly string[];
  /** Request headers that they may send. */
  readonly headers: readonly string[];
  /** Response headers that they may read in addition to the usual ones. */
  readonly exposedHeaders: readonly string[];
}

/** How long a browser caches the response to a preflight, in seconds. */
const preflightSeconds = 600;

/**
 * Sets the headers that let a page read the response, and responds to a preflight. A preflight carries no credentials,
 * so it must be handled before they are checked. Returns true when the response was sent. Credentials mode is never
 * allowed, because cookies have no meaning here.
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
