export { openHubSpot } from './hubspot/open-hubspot.ts';
export { openSalesforce } from './salesforce/open-salesforce.ts';
