import type { CrmProvider } from '@mailproof/shared-types';
import type { CrmTokens } from './crm-connection.ts';

/** What a CRM grants: tokens, and the address of the organization's records. */
export interface CrmGrant {
  readonly tokens: CrmTokens;
  readonly apiBaseUrl: string;
}

export interface CrmOrganization {
  readonly id: string;
  readonly name: string;
}

/** The authorization server of one CRM (RFC 6749). Throws `OAuthFault` if it refuses a request. */
export interface CrmOAuth {
  /** Returns the URL to which the browser goes, and the verifier that later proves that we sent it there. */
  begin(state: string): Promise<{ readonly authorizationUrl: string; readonly verifier: string }>;
  /** Exchanges the code from the browser for tokens, and identifies their organization. */
  exchange(
    code: string,
    verifier: string,
    signal: AbortSignal,
  ): Promise<{ readonly grant: CrmGrant; readonly organisation: CrmOrganization }>;
  /** Returns new tokens; a refresh token that the CRM does not replace stays. */
  refresh(kept: Pick<CrmTokens, 'refreshToken'>, apiBaseUrl: string, signal: AbortSignal): Promise<CrmGrant>;
  /** Ends our access. */
  revoke(tokens: Pick<CrmTokens, 'refreshToken'>, signal: AbortSignal): Promise<void>;
  /** Whether all connections to one organization share one grant, so that revoking it ends all of them. */
  readonly sharesGrants: boolean;
}

/** Only the servers that the operator has set up. */
export type CrmOAuths = Readonly<Partial<Record<CrmProvider, CrmOAuth>>>;

export type OAuthFaultKind =
  /** The code or the refresh token is not valid or no longer valid. */
  | 'grant_refused'
  /** The server rejects our app or its request; the settings are wrong. */
  | 'app_refused'
  | 'throttled'
  /** The server does not answer, or its answer is unreadable. */
  | 'away';

/** An authorization server failed or rejected a request. The message contains no token, code, or secret. */
export class OAuthFault extends Error {
  override readonly name = 'OAuthFault';
  readonly kind: OAuthFaultKind;
  /** The error code (RFC 6749 section 5.2), or a word for another failure. */
  readonly error: string;
  /** How long the server asks us to wait, in milliseconds; null if it does not say. */
  readonly waitMs: number | null;

  constructor(kind: OAuthFaultKind, error: string, waitMs: number | null = null) {
    super(`The authorization server rejected the request: ${kind}, ${error}`);
    this.kind = kind;
    this.error = error;
    this.waitMs = waitMs;
  }
}
