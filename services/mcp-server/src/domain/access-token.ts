import type { AssistantId, OauthScope } from '@mailproof/shared-types';
import type { JSONWebKeySet } from 'jose';

/** What a valid access token says (RFC 9068): which assistant it was given to, and for what. */
export interface AccessToken {
  readonly assistantId: AssistantId;
  readonly clientId: string;
  readonly scopes: readonly OauthScope[];
  readonly expiresAt: Date;
  /** SHA-256, as base64url, of the refresh token of the same response; absent if the response was to a code. */
  readonly refreshSha256?: string | undefined;
}

/**
 * The public keys whose tokens are to be believed. `kid` names the one that a token asks for: whoever keeps the keys in
 * memory looks again when it is not among them, because another replica may have made it.
 */
export type PublishedKeys = (kid?: string) => Promise<JSONWebKeySet>;

/** What is said of a bearer token. */
export type TokenVerdict =
  | { readonly kind: 'valid'; readonly token: AccessToken }
  /** It was one of ours. Clients send such a one in all innocence, and get the next by their refresh token. */
  | { readonly kind: 'expired' }
  /** Not one of ours, or made for somebody else. */
  | { readonly kind: 'refused' };

/** Judges a bearer token. Throws when the keys cannot be had. */
export type VerifyAccessToken = (token: string) => Promise<TokenVerdict>;

/** The claim of an access token that names the assistant. */
export const assistantClaim = 'assistant_id';

/** The claim that names the refresh token of the same response, by its hash. */
export const refreshClaim = 'refresh_sha256';

/** Seconds for which an access token is valid; it cannot be taken back, so every call looks for its assistant besides. */
export const accessTokenSeconds = 600;

/** The path of the protected resource; the audience of tokens is this path at the public address, without a slash after it. */
export const toolsPath = '/mcp';
