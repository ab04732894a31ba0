import { type Request, Router } from 'express';
import { createOAuth, type OAuthOptions, type OAuthSimulator } from '../oauth.ts';

/** A connected app at the simulated Salesforce, and the organisation that people who allow it belong to. */
export interface SalesforceOAuthOptions
  extends Pick<
    OAuthOptions,
    'clientId' | 'clientSecret' | 'redirectUris' | 'scopes' | 'rotatesRefreshTokens' | 'now'
  > {
  readonly organisationId: string;
  readonly organisationName: string;
  /** Where the organisation's records are; where it logs in if left out. */
  readonly instanceUrl?: () => string;
}

export const salesforceUserId = '005Lab000000000AAA';

/**
 * Salesforce's authorization server: the token answer says where the organisation's records are and who it is, and not
 * how long the access token lasts. Asks for a code challenge, as connected apps can be set to.
 */
export function createSalesforceOAuth(options: SalesforceOAuthOptions): OAuthSimulator {
  const { organisationId, organisationName } = options;
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
      id: `${loginUrl}/id/${organisationId}/${salesforceUserId}`,
      issued_at: String((options.now?.() ?? new Date()).getTime()),
      signature: 'c2lnbmF0dXJlIG9mIHRoZSBsYWI=',
    }),
  });
  const router = Router();
  router.use((request, _response, next) => {
    // The simulator learns where it listens from whoever asks it.
    loginUrl = `${request.protocol}://${request.get('host')}`;
    next();
  });
  router.use(oauth.router);
  router.get('/services/data/:version/sobjects/Organization/:id', (request, response) => {
    if (oauth.grantOf(bearerOf(request)) === undefined) {
      response.status(401).json([{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }]);
    } else if (request.params.id !== organisationId) {
      response.status(404).json([{ message: 'Not found', errorCode: 'NOT_FOUND' }]);
    } else {
      response.json({ attributes: { type: 'Organization' }, Id: organisationId, Name: organisationName });
    }
  });
  return Object.assign(oauth, { router });
}

function bearerOf(request: Request): string {
  return (request.get('authorization') ?? '').replace(/^Bearer /i, '');
}
