import { z } from 'zod';
import { type CrmOAuth, OAuthFault } from '../../domain/crm/connections/crm-oauth.ts';
import type { GuardedFetch } from '../oauth/guarded-fetch.ts';
import { createOAuthClient } from '../oauth/oauth-client.ts';

export interface HubSpotApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The base URL for users to sign in; `apiBaseUrl` is for programs. */
  readonly appBaseUrl: string;
  readonly apiBaseUrl: string;
}

/** The app's scopes: read and write contacts and companies with their properties, and read lists. */
export const hubSpotScopes = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.objects.companies.read',
  'crm.objects.companies.write',
  'crm.schemas.contacts.read',
  'crm.schemas.contacts.write',
  'crm.schemas.companies.read',
  'crm.schemas.companies.write',
  'crm.lists.read',
] as const;

/** The account that a token belongs to. Accepts numbers and text, since account ids have been both. */
const tokenFacts = z.object({
  active: z.literal(true),
  hub_id: z.union([z.number(), z.string()]).transform(String).pipe(z.string().min(1).max(100)),
  hub_domain: z.string().max(500).nullish(),
});

/** HubSpot's authorization server, API version of March 2026, which sends every token in a body. */
export function createHubSpotOAuth(app: HubSpotApp, fetch: GuardedFetch, now: () => Date): CrmOAuth {
  const { apiBaseUrl } = app;
  const tokenEndpoint = `${apiBaseUrl}/oauth/2026-03/token`;
  const client = createOAuthClient(
    {
      ...app,
      scopes: hubSpotScopes,
      endpoints: {
        authorization: `${app.appBaseUrl}/oauth/authorize`,
        token: tokenEndpoint,
        revocation: `${tokenEndpoint}/revoke`,
        introspection: `${tokenEndpoint}/introspect`,
      },
    },
    fetch,
    now,
  );
  return {
    // All users who allow the app in one HubSpot account share one installation, and may share one refresh token.
    sharesGrants: true,
    begin: client.begin,
    async exchange(code, verifier, signal) {
      const { tokens } = await client.exchange(code, verifier, signal);
      const facts = tokenFacts.safeParse(await client.introspect(tokens.accessToken, signal));
      if (!facts.success) {
        throw new OAuthFault('away', 'organisation_not_told');
      }
      const { hub_id: id, hub_domain: domain } = facts.data;
      return { grant: { tokens, apiBaseUrl }, organisation: { id, name: domain || `HubSpot ${id}` } };
    },
    async refresh({ refreshToken }, _apiBaseUrl, signal) {
      const { tokens } = await client.refresh(refreshToken, signal);
      return { tokens, apiBaseUrl };
    },
    revoke: ({ refreshToken }, signal) => client.revoke(refreshToken, signal),
  };
}
