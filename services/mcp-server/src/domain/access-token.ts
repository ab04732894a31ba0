import type { AssistantId, OauthScope } from '@mailproof/shared-types';

/** What a valid access token says (RFC 9068): which assistant it was given to, and for what. */
export interface AccessToken {
  readonly assistantId: AssistantId;
  readonly clientId: string;
  readonly scopes: readonly OauthScope[];
  readonly expiresAt: Date;
}

/** Judges a bearer token. Nothing when it is not one of ours, is over, or was made for somebody else. */
export type VerifyAccessToken = (token: string) => Promise<AccessToken | undefined>;

/** The claim of an access token that names the assistant. */
export const assistantClaim = 'assistant_id';

/** Seconds for which an access token is valid; it cannot be taken back, so every call looks for its assistant besides. */
export const accessTokenSeconds = 600;

/** The path of the protected resource; the audience of tokens is this path at the public address, without a slash after it. */
export const toolsPath = '/mcp';
