import express from 'express';
import { createOAuth, type OAuthOptions, type OAuthSimulator } from '../oauth.ts';

/** An app at the simulated HubSpot, and the account of the users who allow it. */
export interface HubSpotOAuthOptions
  extends Pick<OAuthOptions, 'clientId' | 'clientSecret' | 'redirectUris' | 'scopes' | 'now'> {
  readonly hubId: number;
  readonly hubDomain: string;
}

/**
 * HubSpot's authorization server, API version 2026-03: the browser goes to `/oauth/authorize`, and tokens and secrets
 * travel in form bodies only. A refresh token stays valid until a user uninstalls the app.
 */
export function createHubSpotOAuth(options: HubSpotOAuthOptions): OAuthSimulator {
  const { hubId, hubDomain, clientId, clientSecret } = options;
  const oauth = createOAuth({
    ...options,
    paths: {
      authorize: '/oauth/authorize',
      token: '/oauth/2026-03/token',
      revoke: '/oauth/2026-03/token/revoke',
    },
    fieldsOfTokens: grant => ({
      token_use: 'access_token',
      hub_id: hubId,
      user_id: 77,
      scopes: grant.scope.split(' '),
    }),
    fieldsOfFault: error => ({
      status: error === 'invalid_grant' ? 'BAD_REFRESH_TOKEN' : 'BAD_REQUEST',
      message: 'missing or invalid refresh token',
    }),
  });
  oauth.router.post(
    '/oauth/2026-03/token/introspect',
    express.urlencoded({ extended: false }),
    (request, response) => {
      if (request.body?.client_id !== clientId || request.body?.client_secret !== clientSecret) {
        response.status(401).json({ error: 'invalid_client' });
        return;
      }
      const grant = oauth.grantOf(String(request.body.token));
      if (grant === undefined) {
        response.json({ active: false, token_use: 'access_token' });
        return;
      }
      response.json({
        active: true,
        token_use: 'access_token',
        token_type: 'access',
        token: grant.accessToken,
        client_id: clientId,
        hub_id: hubId,
        hub_domain: hubDomain,
        user_id: 77,
        app_id: 1,
        scopes: grant.scope.split(' '),
        expires_in: 1_800,
      });
    },
  );
  return oauth;
}
