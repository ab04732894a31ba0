import { type Request, Router } from 'express';
import { createOAuth, type OAuthOptions, type OAuthSimulator } from '../oauth.ts';

/** A connected app at the simulated Salesforce, and the organization of the users who authorize it. */
export interface SalesforceOAuthOptions
  extends Pick<
    OAuthOptions,
    'clientId' | 'clientSecret' | 'redirectUris' | 'scopes' | 'rotatesRefreshTokens' | 'now'
  > {
  readonly organizationId: string;
  readonly organizationName: string;
  /** The organization's instance URL; the login URL if omitted. */
  readonly instanceUrl?: () => string;
}

export const salesforceUserId = '005Lab000000000AAA';

/**
 * Salesforce's authorization server: the token response has the organization's instance URL and identity, but no
 * lifetime of the access token. It requires PKCE, as connected apps can be set to.
 */
export function createSalesforceOAuth(options: SalesforceOAuthOptions): OAuthSimulator {
  const { organizationId, organizationName } = options;
  let loginUrl = '';
  const oauth = createOAuth({
    ...options,
    paths: {
      authorize: '/services/oauth2/authorize',
      token: '/services/oauth2/token',
      revoke: '/services/oauth2/revoke',
    },
    requiresPkce: true,
    refusesEndedTokens: true,
    saysExpiry: false,
    fieldsOfTokens: () => ({
      token_type: 'Bearer',
      instance_url: options.instanceUrl?.() ?? loginUrl,
      id: `${loginUrl}/id/${organizationId}/${salesforceUserId}`,
      issued_at: String((options.now?.() ?? new Date()).getTime()),
      signature: 'c2lnbmF0dXJlIG9mIHRoZSBsYWI=',
    }),
  });
  const router = Router();
  router.use((request, _response, next) => {
    // The simulator learns its own address from the first request.
    loginUrl = `${request.protocol}://${request.get('host')}`;
    next();
  });
  router.use(oauth.router);
  router.get('/services/data/:version/sobjects/Organization/:id', (request, response) => {
    if (oauth.grantOf(bearerOf(request)) === undefined) {
      response.status(401).json([{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]);
    } else if (request.params.id !== organizationId) {
      response.status(404).json([{ message: 'Not found', errorCode: 'NOT_FOUND' }]);
    } else {
      response.json({ attributes: { type: 'Organization' }, Id: organizationId, Name: organizationName });
    }
  });
  return Object.assign(oauth, { router });
}

function bearerOf(request: Request): string {
  return (request.get('authorization') ?? '').replace(/^Bearer /i, '');
}
