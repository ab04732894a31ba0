import { z } from 'zod';
import { type CrmOAuth, OAuthFault } from '../../domain/crm/connections/crm-oauth.ts';
import type { GuardedFetch } from '../oauth/guarded-fetch.ts';
import { createOAuthClient, type TokenAnswer } from '../oauth/oauth-client.ts';

export interface SalesforceApp {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The login URL: production, a sandbox, or a My Domain. */
  readonly loginUrl: string;
}

/** The app's scopes: work with records as the user who allows it, even while the user is offline. */
export const salesforceScopes = ['api', 'refresh_token'] as const;

/** The API version for reading the organization's name; every organization has it. */
const apiVersion = 'v60.0';

const origin = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .transform(url => new URL(url))
  .refine(({ username, password }) => username === '' && password === '')
  .transform(url => url.origin);

/** Organization ids start with 00D and have 15 or 18 characters. */
const organizationIdForm = /\/id\/(00D[0-9A-Za-z]{12}(?:[0-9A-Za-z]{3})?)\/005[0-9A-Za-z]+$/;

const organizationRecord = z.object({ Name: z.string().min(1).max(255) });

/**
 * Salesforce's authorization server. Its answer contains the address of the organization's records. That address is
 * external input and is called through the guard like every other.
 */
export function createSalesforceOAuth(app: SalesforceApp, fetch: GuardedFetch, now: () => Date): CrmOAuth {
  const root = `${app.loginUrl}/services/oauth2`;
  const client = createOAuthClient(
    {
      ...app,
      scopes: salesforceScopes,
      endpoints: {
        authorization: `${root}/authorize`,
        token: `${root}/token`,
        revocation: `${root}/revoke`,
      },
    },
    fetch,
    now,
  );
  return {
    sharesGrants: false,
    begin: client.begin,
    async exchange(code, verifier, signal) {
      const answer = await client.exchange(code, verifier, signal);
      try {
        return await grantOf(fetch, answer, signal);
      } catch (error) {
        // These tokens are unusable, and no other connection shares their grant.
        await client.revoke(answer.tokens.refreshToken, signal).catch(() => undefined);
        throw error;
      }
    },
    async refresh({ refreshToken }, apiBaseUrl, signal) {
      const answer = await client.refresh(refreshToken, signal);
      // Salesforce sometimes moves organizations to other instances.
      return { tokens: answer.tokens, apiBaseUrl: instanceOf(answer) ?? apiBaseUrl };
    },
    revoke: ({ refreshToken }, signal) => client.revoke(refreshToken, signal),
  };
}

async function grantOf(
  fetch: GuardedFetch,
  answer: TokenAnswer,
  signal: AbortSignal,
): ReturnType<CrmOAuth['exchange']> {
  const apiBaseUrl = instanceOf(answer);
  const id = organizationIdForm.exec(String(answer.fields['id']))?.[1];
  if (apiBaseUrl === undefined || id === undefined) {
    throw new OAuthFault('away', 'organisation_not_told');
  }
  const name = await readName(fetch, { apiBaseUrl, id, accessToken: answer.tokens.accessToken }, signal);
  return {
    grant: { tokens: answer.tokens, apiBaseUrl },
    organisation: { id, name: name ?? new URL(apiBaseUrl).hostname },
  };
}

function instanceOf({ fields }: TokenAnswer): string | undefined {
  return origin.safeParse(fields['instance_url']).data;
}

/** Undefined if the user may not see the name or the call fails: a missing name is no reason to discard the tokens. */
async function readName(
  fetch: GuardedFetch,
  { apiBaseUrl, id, accessToken }: { apiBaseUrl: string; id: string; accessToken: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const response = await fetch(
    `${apiBaseUrl}/services/data/${apiVersion}/sobjects/Organization/${id}?fields=Name`,
    { headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` }, signal },
  ).catch(error => {
    // If the address may not be called, the connection is unusable.
    if (error instanceof OAuthFault && error.error === 'not_allowed') {
      throw error;
    }
    return undefined;
  });
  if (!response?.ok) {
    return undefined;
  }
  return organizationRecord.safeParse(await response.json().catch(() => undefined)).data?.Name;
}
