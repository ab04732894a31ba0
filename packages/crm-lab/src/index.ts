export { createHubSpotOAuth, type HubSpotOAuthOptions } from './hubspot/hubspot-oauth.ts';
export {
  type HubSpotOptions,
  type HubSpotSimulator,
  hubSpotLimits,
  hubSpotScopes,
  openHubSpot,
} from './hubspot/open-hubspot.ts';
export { createOAuth, type OAuthOptions, type OAuthSimulator, type TokenGrant } from './oauth.ts';
export { type FieldDescription, field } from './salesforce/fields.ts';
export {
  openSalesforce,
  type SalesforceObject,
  type SalesforceOptions,
  type SalesforceSimulator,
} from './salesforce/open-salesforce.ts';
export { createSalesforceOAuth, type SalesforceOAuthOptions } from './salesforce/salesforce-oauth.ts';
