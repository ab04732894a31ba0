import type { CrmProvider } from '@mailproof/shared-types';
import { createHubSpotOAuth } from '../adapters/hubspot/hubspot-oauth.ts';
import { openHubSpotCrm } from '../adapters/hubspot/open-hubspot-crm.ts';
import { createGuardedFetch } from '../adapters/oauth/guarded-fetch.ts';
import { openSalesforceCrm } from '../adapters/salesforce/open-salesforce-crm.ts';
import { createSalesforceOAuth } from '../adapters/salesforce/salesforce-oauth.ts';
import type { Config } from '../config.ts';
import type { CrmOAuths } from '../domain/crm/connections/crm-oauth.ts';
import type { OpenCrm } from '../domain/crm/crm-access.ts';
import { type OutsideWays, userAgent } from './pushes.ts';

/** What opens the CRMs of each provider. */
export type OpenCrms = Readonly<Partial<Record<CrmProvider, OpenCrm>>>;

export function createCrmAdapters(ways: OutsideWays, now: () => Date): OpenCrms {
  return {
    hubspot: openHubSpotCrm({ outside: ways, userAgent }),
    salesforce: openSalesforceCrm({ outside: ways, userAgent, now }),
  };
}

/** The authorization servers of the providers for which the operator has set up an app. */
export function createCrmOAuths(config: Config, ways: OutsideWays, now: () => Date): CrmOAuths {
  const fetch = createGuardedFetch(ways, userAgent);
  const redirectUri = `${config.PUBLIC_BASE_URL}/crm/callback`;
  const { HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET, SALESFORCE_CLIENT_ID, SALESFORCE_CLIENT_SECRET } = config;
  return {
    ...(HUBSPOT_CLIENT_ID !== undefined &&
      HUBSPOT_CLIENT_SECRET !== undefined && {
        hubspot: createHubSpotOAuth(
          {
            clientId: HUBSPOT_CLIENT_ID,
            clientSecret: HUBSPOT_CLIENT_SECRET,
            redirectUri,
            appBaseUrl: config.HUBSPOT_APP_BASE_URL,
            apiBaseUrl: config.HUBSPOT_API_BASE_URL,
          },
          fetch,
          now,
        ),
      }),
    ...(SALESFORCE_CLIENT_ID !== undefined &&
      SALESFORCE_CLIENT_SECRET !== undefined && {
        salesforce: createSalesforceOAuth(
          {
            clientId: SALESFORCE_CLIENT_ID,
            clientSecret: SALESFORCE_CLIENT_SECRET,
            redirectUri,
            loginUrl: config.SALESFORCE_LOGIN_URL,
          },
          fetch,
          now,
        ),
      }),
  };
}
