import { oauthScopeNames } from '@mailproof/shared-types';
import { toolsPath } from './access-token.ts';

/** Where the metadata of the protected resource stands (RFC 9728 section 3.1): for the resource's path, and for none. */
export const resourceMetadataPaths = [
  `/.well-known/oauth-protected-resource${toolsPath}`,
  '/.well-known/oauth-protected-resource',
] as const;

/** The address of that metadata. */
export function resourceMetadataUrl(publicBaseUrl: string): string {
  return `${publicBaseUrl}${resourceMetadataPaths[0]}`;
}

/**
 * The value of `WWW-Authenticate` for a request without a valid token (RFC 6750 section 3, RFC 9728 section 5.1). It
 * names the scopes that a client should ask for, and `error` only where a token was sent. `offline_access` is not among
 * the scopes: it is no right at this resource.
 */
export function challengeOf(publicBaseUrl: string, error?: { code: string; description: string }): string {
  const parameters = [
    ...(error ? [['error', error.code] as const, ['error_description', error.description] as const] : []),
    ['resource_metadata', resourceMetadataUrl(publicBaseUrl)] as const,
    ['scope', oauthScopeNames.join(' ')] as const,
  ];
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
