import { createHash, randomBytes } from 'node:crypto';
import express, { type Request, type Response, Router } from 'express';
import { z } from 'zod';

/** The behavior of a simulated authorization server (RFC 6749); every optional field has a default. */
export interface OAuthOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The addresses to which a browser may be redirected. */
  readonly redirectUris: readonly string[];
  readonly paths: { readonly authorize: string; readonly token: string; readonly revoke?: string };
  /** The scopes that the app may request; undefined allows any. */
  readonly scopes?: readonly string[];
  /** Whether a code challenge (RFC 7636, S256) is required; if one is sent, it is always checked. */
  readonly requiresPkce?: boolean;
  /** Whether every refresh issues a new refresh token and ends the old one. */
  readonly rotatesRefreshTokens?: boolean;
  /** How long access tokens are valid. */
  readonly accessTokenSeconds?: number;
  /** Whether the token response has that lifetime as `expires_in`; Salesforce's does not. */
  readonly saysExpiry?: boolean;
  /** Whether revoking an ended token returns an error, as Salesforce does, contrary to RFC 7009. */
  readonly refusesEndedTokens?: boolean;
  /** Additional fields of the provider's token response. */
  readonly fieldsOfTokens?: (grant: TokenGrant) => Record<string, unknown>;
  /** Additional fields of the provider's error response. */
  readonly fieldsOfFault?: (error: string) => Record<string, unknown>;
  readonly now?: () => Date;
}

/** A user's grant to the app, with the latest tokens. */
export interface TokenGrant {
  readonly grantId: string;
  readonly scope: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** How a test controls and observes a simulated authorization server. */
export interface OAuthSimulator {
  /** Mount it at the root of the provider's application. */
  readonly router: Router;
  /** The number of answered calls by kind; refused calls of the token endpoint are counted separately. */
  readonly counts: Readonly<Record<'authorized' | 'exchanged' | 'refreshed' | 'refused' | 'revoked', number>>;
  isAccepted(accessToken: string): boolean;
  /** The grant of an access token, while the token is valid. */
  grantOf(accessToken: string): TokenGrant | undefined;
  /** The grant of a refresh token, while the token is valid. */
  grantOfRefreshToken(refreshToken: string): TokenGrant | undefined;
  /** Issues tokens without a browser. */
  grant(scope?: string): TokenGrant;
  /** Expires every access token. */
  expireAccessTokens(): void;
  /** Ends every token, as if users had uninstalled the app. */
  revokeAll(): void;
  /** Sets whether users allow the app or deny it from now on. */
  answerPeopleWith(answer: 'allow' | 'deny'): void;
  rotateRefreshTokens(rotates: boolean): void;
  /** Holds back answers of the token endpoint until the promise settles; the work is already done by then. */
  holdTokenAnswers(until: Promise<unknown>): void;
  /** Fails the next calls of the token endpoint before they do anything, with a status and a body. */
  failTokenCalls(times: number, status?: number, body?: string): void;
}

interface Code {
  readonly redirectUri: string;
  readonly scope: string;
  readonly challenge: string | undefined;
}

interface AccessToken {
  readonly grantId: string;
  readonly endsAtMs: number;
}

const usualAccessTokenSeconds = 1_800;

const authorizeQuery = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code').optional(),
  scope: z.string().default(''),
  state: z.string().optional(),
  code_challenge: z.string().min(43).optional(),
  code_challenge_method: z.literal('S256').optional(),
});

/** An authorization server that grants every request without asking a user, unless a test sets it to refuse. */
export function createOAuth(options: OAuthOptions): OAuthSimulator {
  const lab = new OAuthLab(options);
  const { paths } = options;
  const router = Router();
  const form = express.urlencoded({ extended: false });
  router.get(paths.authorize, (request, response) => lab.authorize(request, response));
  router.post(paths.token, form, (request, response) => lab.token(request, response));
  if (paths.revoke !== undefined) {
    router.post(paths.revoke, form, (request, response) => lab.revoke(request, response));
  }
  return Object.assign(lab, { router });
}

class OAuthLab implements Omit<OAuthSimulator, 'router'> {
  readonly counts = { authorized: 0, exchanged: 0, refreshed: 0, refused: 0, revoked: 0 };
  readonly #options: OAuthOptions;
  readonly #now: () => Date;
  readonly #codes = new Map<string, Code>();
  readonly #grants = new Map<string, TokenGrant>();
  readonly #accessTokens = new Map<string, AccessToken>();
  #peopleAllow = true;
  #rotates: boolean;
  #held: Promise<unknown> = Promise.resolve();
  #failures = { times: 0, status: 503, body: '' };

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#rotates = options.rotatesRefreshTokens ?? false;
  }

  isAccepted(accessToken: string): boolean {
    return this.grantOf(accessToken) !== undefined;
  }

  grantOf(accessToken: string): TokenGrant | undefined {
    const token = this.#accessTokens.get(accessToken);
    return token !== undefined && token.endsAtMs > this.#now().getTime()
      ? this.#grants.get(token.grantId)
      : undefined;
  }

  grantOfRefreshToken(refreshToken: string): TokenGrant | undefined {
    return [...this.#grants.values()].find(grant => grant.refreshToken === refreshToken);
  }

  grant(scope = (this.#options.scopes ?? []).join(' ')): TokenGrant {
    return this.#give(newToken('grant'), scope, newToken('refresh'));
  }

  expireAccessTokens(): void {
    this.#accessTokens.clear();
  }

  revokeAll(): void {
    this.#accessTokens.clear();
    this.#grants.clear();
  }

  answerPeopleWith(answer: 'allow' | 'deny'): void {
    this.#peopleAllow = answer === 'allow';
  }

  rotateRefreshTokens(rotates: boolean): void {
    this.#rotates = rotates;
  }

  holdTokenAnswers(until: Promise<unknown>): void {
    this.#held = until.catch(() => undefined);
  }

  failTokenCalls(times: number, status = 503, body = ''): void {
    this.#failures = { times, status, body };
  }

  /**
   * RFC 6749 4.1.1: an unknown app or redirect address gets an error page; all other errors are sent back by redirect.
   */
  authorize(request: Request, response: Response): void {
    const { clientId, redirectUris, scopes, requiresPkce } = this.#options;
    const query = authorizeQuery.safeParse(request.query);
    if (
      !query.success ||
      query.data.client_id !== clientId ||
      !redirectUris.includes(query.data.redirect_uri)
    ) {
      response.status(400).type('text').send('The app, its redirect address or the request is not right.');
      return;
    }
    const { redirect_uri: redirectUri, scope, state, code_challenge: challenge } = query.data;
    const back = (answer: Record<string, string>) => {
      const url = new URL(redirectUri);
      for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }) })) {
        url.searchParams.set(name, value);
      }
      response.redirect(302, url.href);
    };
    if (scopes !== undefined && scope.split(' ').some(each => each !== '' && !scopes.includes(each))) {
      back({ error: 'invalid_scope' });
    } else if (requiresPkce === true && challenge === undefined) {
      back({ error: 'invalid_request', error_description: 'missing required code challenge' });
    } else if (!this.#peopleAllow) {
      back({ error: 'access_denied', error_description: 'end-user denied authorization' });
    } else {
      const code = newToken('code');
      this.#codes.set(code, { redirectUri, scope, challenge });
      this.counts.authorized += 1;
      back({ code });
    }
  }

  async token(request: Request, response: Response): Promise<void> {
    if (this.#failures.times > 0) {
      this.#failures.times -= 1;
      const { status, body } = this.#failures;
      response
        .status(status)
        .type(body.startsWith('{') ? 'json' : 'text')
        .send(body);
      return;
    }
    const body = bodyOf(request);
    const grant = this.#isClient(body) ? this.#grantFor(body) : 'invalid_client';
    await this.#held;
    if (typeof grant === 'string') {
      this.#refuse(response, grant);
      return;
    }
    const { accessTokenSeconds = usualAccessTokenSeconds, saysExpiry = true, fieldsOfTokens } = this.#options;
    response.set('Cache-Control', 'no-store').json({
      token_type: 'bearer',
      access_token: grant.accessToken,
      refresh_token: grant.refreshToken,
      ...(saysExpiry && { expires_in: accessTokenSeconds }),
      scope: grant.scope,
      ...fieldsOfTokens?.(grant),
    });
  }

  /** According to RFC 7009, an unknown token counts as revoked. */
  revoke(request: Request, response: Response): void {
    const { token } = bodyOf(request);
    const grant = this.grantOfRefreshToken(token ?? '') ?? this.grantOf(token ?? '');
    if (grant !== undefined) {
      this.#grants.delete(grant.grantId);
      this.#forgetAccessTokensOf(grant.grantId);
      this.counts.revoked += 1;
    } else if (this.#options.refusesEndedTokens) {
      response.status(400).json({ error: 'invalid_token', error_description: 'invalid token' });
      return;
    }
    response.status(200).end();
  }

  #isClient(body: Record<string, string>): boolean {
    return body.client_id === this.#options.clientId && body.client_secret === this.#options.clientSecret;
  }

  /** Returns the grant with its new tokens, or an error code of RFC 6749 5.2. */
  #grantFor(body: Record<string, string>): TokenGrant | string {
    if (body.grant_type === 'authorization_code') {
      return this.#exchange(body);
    }
    return body.grant_type === 'refresh_token' ? this.#refresh(body) : 'unsupported_grant_type';
  }

  #exchange(body: Record<string, string>): TokenGrant | string {
    const code = this.#codes.get(body.code ?? '');
    this.#codes.delete(body.code ?? '');
    if (code === undefined || code.redirectUri !== body.redirect_uri) {
      return 'invalid_grant';
    }
    if (code.challenge !== undefined && code.challenge !== challengeOf(body.code_verifier ?? '')) {
      return 'invalid_grant';
    }
    this.counts.exchanged += 1;
    return this.#give(newToken('grant'), code.scope, newToken('refresh'));
  }

  #refresh(body: Record<string, string>): TokenGrant | string {
    const grant = this.grantOfRefreshToken(body.refresh_token ?? '');
    if (grant === undefined) {
      return 'invalid_grant';
    }
    this.counts.refreshed += 1;
    return this.#give(grant.grantId, grant.scope, this.#rotates ? newToken('refresh') : grant.refreshToken);
  }

  #give(grantId: string, scope: string, refreshToken: string): TokenGrant {
    const { accessTokenSeconds = usualAccessTokenSeconds } = this.#options;
    const grant: TokenGrant = { grantId, scope, refreshToken, accessToken: newToken('access') };
    this.#grants.set(grantId, grant);
    this.#accessTokens.set(grant.accessToken, {
      grantId,
      endsAtMs: this.#now().getTime() + accessTokenSeconds * 1_000,
    });
    return grant;
  }

  #forgetAccessTokensOf(grantId: string): void {
    for (const [token, access] of this.#accessTokens) {
      if (access.grantId === grantId) {
        this.#accessTokens.delete(token);
      }
    }
  }

  #refuse(response: Response, error: string): void {
    this.counts.refused += 1;
    response
      .status(error === 'invalid_client' ? 401 : 400)
      .set('Cache-Control', 'no-store')
      .json({ error, error_description: `refused: ${error}`, ...this.#options.fieldsOfFault?.(error) });
  }
}

function bodyOf(request: Request): Record<string, string> {
  const body = z.record(z.string(), z.string()).safeParse(request.body);
  return body.success ? body.data : {};
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** The prefix makes leaked tokens easy to find. */
function newToken(kind: string): string {
  return `lab-${kind}-${randomBytes(24).toString('base64url')}`;
}
