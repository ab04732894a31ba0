export { createHubSpotOAuth, type HubSpotOAuthOptions } from './hubspot/hubspot-oauth.ts';
export { openHubSpot } from './hubspot/open-hubspot.ts';
export { createOAuth, type OAuthOptions, type OAuthSimulator, type TokenGrant } from './oauth.ts';
export { openSalesforce } from './salesforce/open-salesforce.ts';
export { createSalesforceOAuth, type SalesforceOAuthOptions } from './salesforce/salesforce-oauth.ts';
