import { Problem } from '@mailproof/service-kit';
import { oauthScopeNames } from '@mailproof/shared-types';
import type { Express } from 'express';
import { toolsPath } from '../domain/access-token.ts';
import { resourceMetadataPaths } from '../domain/challenge.ts';
import { answerCors, type CorsRule } from './cors.ts';

/** Says of itself only what everybody may know, so every page may read it. */
const cors: CorsRule = {
  isAllowed: () => true,
  methods: ['GET'],
  headers: ['mcp-protocol-version'],
  exposedHeaders: [],
};

/**
 * The metadata of the protected resource (RFC 9728): where a client finds who gives out its tokens. It stands at the path
 * for the resource and at the one for none, where older clients look. `offline_access` is no scope of the resource.
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
          detail: 'This path takes GET.',
          headers: { allow: 'GET, HEAD' },
        });
      }
      response.setHeader('cache-control', 'public, max-age=300');
      response.json(metadata);
    });
  }
}
