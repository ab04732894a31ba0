import {
  type AssistantId,
  defaultOauthScopes,
  type OauthScope,
  oauthScopeNames,
} from '@mailproof/shared-types';
import type { JSONWebKeySet } from 'jose';

/** The content of a valid access token (RFC 9068): the assistant that it was issued to, and its scopes. */
export interface AccessToken {
  readonly assistantId: AssistantId;
  readonly clientId: string;
  readonly scopes: readonly OauthScope[];
  readonly expiresAt: Date;
  /** SHA-256, as base64url, of the refresh token of the same response; absent if the token was issued for a code. */
  readonly refreshSha256?: string | undefined;
}

/**
 * The public keys whose tokens are trusted. `kid` names the key of the token: if a cached list lacks it, the list is
 * reread, because another replica may have created the key.
 */
export type PublishedKeys = (kid?: string) => Promise<JSONWebKeySet>;

/** The result of verifying a bearer token. */
export type TokenVerdict =
  | { readonly kind: 'valid'; readonly token: AccessToken }
  /** It was one of ours. Honest clients send expired tokens, and then get a new one with their refresh token. */
  | { readonly kind: 'expired' }
  /** Not one of ours, or made for another server. */
  | { readonly kind: 'refused' };

/** Verifies a bearer token. Throws when the keys are not available. */
export type VerifyAccessToken = (token: string) => Promise<TokenVerdict>;

/** The claim that names the assistant. */
export const assistantClaim = 'assistant_id';

/** The claim with the hash of the refresh token of the same response. */
export const refreshClaim = 'refresh_sha256';

/** Seconds for which an access token is valid; it cannot be revoked, so every call also looks for its assistant. */
export const accessTokenSeconds = 600;

/**
 * The path of the protected resource. The audience of tokens is the public address with this path, without a trailing
 * slash.
 */
export const toolsPath = '/mcp';

/** The URL of the protected resource's metadata (RFC 9728 section 3.1): for the resource's path, and for no path. */
export const resourceMetadataPaths = [
  `/.well-known/oauth-protected-resource${toolsPath}`,
  '/.well-known/oauth-protected-resource',
] as const;

/** The URL of that metadata at the resource's path. */
export function resourceMetadataUrl(publicBaseUrl: string): string {
  return `${publicBaseUrl}${resourceMetadataPaths[0]}`;
}

/**
 * The scopes that a client without a token is told to request: the default ones, or all of them at the URL with
 * `?tools=all`. That URL is for clients that cannot ask their user for more later, as those of the first TypeScript SDK
 * (ADR 0079). Clients request exactly the scopes of the challenge.
 */
export function scopesToRequest(tools: string | null): readonly OauthScope[] {
  return tools === 'all' ? oauthScopeNames : defaultOauthScopes;
}

/**
 * The value of `WWW-Authenticate` for a request without a valid token (RFC 6750 section 3, RFC 9728 section 5.1). It
 * names the scopes that a client should request, and `error` only if the request had a token. `offline_access` is not
 * among the scopes: it grants nothing at this resource.
 */
export function challengeOf(
  publicBaseUrl: string,
  scopes: readonly OauthScope[],
  error?: { code: string; description: string },
): string {
  const parameters = [
    ...(error ? [['error', error.code] as const, ['error_description', error.description] as const] : []),
    ['resource_metadata', resourceMetadataUrl(publicBaseUrl)] as const,
    ['scope', scopes.join(' ')] as const,
  ];
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
