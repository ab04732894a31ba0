import type { CrmProvider } from '@mailproof/shared-types';
import type { CrmTokens } from './crm-connection.ts';

/** What a CRM has given us: tokens, and where the organisation's records are. */
export interface CrmGrant {
  readonly tokens: CrmTokens;
  readonly apiBaseUrl: string;
}

export interface CrmOrganisation {
  readonly id: string;
  readonly name: string;
}

/** The authorization server of one CRM (RFC 6749). What it refuses is thrown as `OAuthFault`. */
export interface CrmOAuth {
  /** Where the browser goes, and what proves later that we sent it there. */
  begin(state: string): Promise<{ readonly authorizationUrl: string; readonly verifier: string }>;
  /** Trades the code that the browser brought for tokens, and finds out whose they are. */
  exchange(
    code: string,
    verifier: string,
    signal: AbortSignal,
  ): Promise<{ readonly grant: CrmGrant; readonly organisation: CrmOrganisation }>;
  /** New tokens; a refresh token that the CRM does not renew stays. */
  refresh(kept: Pick<CrmTokens, 'refreshToken'>, apiBaseUrl: string, signal: AbortSignal): Promise<CrmGrant>;
  /** Ends our access. */
  revoke(tokens: Pick<CrmTokens, 'refreshToken'>, signal: AbortSignal): Promise<void>;
  /** Whether all who connect one organisation share one grant, so that revoking it would end the others', too. */
  readonly sharesGrants: boolean;
}

/** Only those that the operator has set up. */
export type CrmOAuths = Readonly<Partial<Record<CrmProvider, CrmOAuth>>>;

export type OAuthFaultKind =
  /** The code or the refresh token is of no use (any more). */
  | 'grant_refused'
  /** It does not accept our app or how it asks; a matter of settings. */
  | 'app_refused'
  | 'throttled'
  /** It does not answer, or not in a way that can be understood. */
  | 'away';

/** An authorization server did not do what it was asked for. The message holds no token, code or secret. */
export class OAuthFault extends Error {
  override readonly name = 'OAuthFault';
  readonly kind: OAuthFaultKind;
  /** The code of the error (RFC 6749 section 5.2), or what else happened, in a word. */
  readonly error: string;
  /** Time for which it asks us to wait, in milliseconds; null where it says nothing. */
  readonly waitMs: number | null;

  constructor(kind: OAuthFaultKind, error: string, waitMs: number | null = null) {
    super(`The authorization server refuses: ${kind}, ${error}`);
    this.kind = kind;
    this.error = error;
    this.waitMs = waitMs;
  }
}
