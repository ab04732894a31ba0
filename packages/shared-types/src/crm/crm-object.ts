/** The CRMs that an account can connect, with their display names. */
export const crmProviders = { hubspot: 'HubSpot', salesforce: 'Salesforce' } as const;

export type CrmProvider = keyof typeof crmProviders;

export const crmProviderNames = Object.keys(crmProviders) as [CrmProvider, ...CrmProvider[]];

/** The kinds of records that rows can become, in terms shared by all CRMs; only Salesforce has leads. */
export const crmObjects = ['contact', 'company', 'lead'] as const;

export type CrmObject = (typeof crmObjects)[number];

/** The kinds of records in each CRM. */
export const objectsOfCrm: Readonly<Record<CrmProvider, readonly CrmObject[]>> = {
  hubspot: ['contact', 'company'],
  salesforce: ['contact', 'lead', 'company'],
};
