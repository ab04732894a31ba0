/** CRMs that an account can connect, by what they are called. */
export const crmProviders = { hubspot: 'HubSpot', salesforce: 'Salesforce' } as const;

export type CrmProvider = keyof typeof crmProviders;

export const crmProviderNames = Object.keys(crmProviders) as [CrmProvider, ...CrmProvider[]];

/** Kinds of records that rows become, in words that every CRM shares: leads are Salesforce's alone. */
export const crmObjects = ['contact', 'company', 'lead'] as const;

export type CrmObject = (typeof crmObjects)[number];

/** Kinds of records that a CRM has. */
export const objectsOfCrm: Readonly<Record<CrmProvider, readonly CrmObject[]>> = {
  hubspot: ['contact', 'company'],
  salesforce: ['contact', 'lead', 'company'],
};
