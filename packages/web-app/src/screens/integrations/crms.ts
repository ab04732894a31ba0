import { crmProviders } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';

export type CrmConnection = Schema['CrmConnection'];
export type CrmProvider = CrmConnection['provider'];
export type CrmObject = CrmConnection['objects'][number];
export type CrmProperty = Schema['CrmProperty'];
export type CrmPolicy = Schema['CrmFieldMapping']['policy'];

export const crmNames: Readonly<Record<CrmProvider, string>> = crmProviders;

/** What a CRM is for, what people need for it, and what the operator of an installation sets. */
export const crmFacts = {
  hubspot: {
    needs: 'A super admin of HubSpot, or somebody with the permission “App Marketplace Access”, allows it.',
    settings: ['HUBSPOT_CLIENT_ID', 'HUBSPOT_CLIENT_SECRET'],
    segments: 'A list',
  },
  salesforce: {
    needs: 'An administrator of Salesforce installs the app first; whoever connects has “API Enabled”.',
    settings: ['SALESFORCE_CLIENT_ID', 'SALESFORCE_CLIENT_SECRET'],
    segments: 'A list view',
  },
} as const satisfies Record<CrmProvider, { needs: string; settings: readonly string[]; segments: string }>;

/** Kinds of records, as people of each CRM call them. */
export function objectName(provider: CrmProvider, object: CrmObject): string {
  if (object === 'company') return provider === 'salesforce' ? 'Accounts' : 'Companies';
  return object === 'lead' ? 'Leads' : 'Contacts';
}

/** What happens to what stands in a property already. */
export const policyNames: Readonly<Record<CrmPolicy, string>> = {
  fill_blank: 'Fill in where blank',
  overwrite: 'Overwrite',
  never: 'New records only',
};

export const policies = Object.keys(policyNames) as CrmPolicy[];

const typeNames: Readonly<Record<CrmProperty['type'], string>> = {
  text: 'text',
  number: 'number',
  boolean: 'yes or no',
  date: 'date',
  moment: 'date and time',
  choice: 'choice',
  other: 'other',
};

export function typeName({ type }: Pick<CrmProperty, 'type'>): string {
  return typeNames[type];
}

/** A property in a choice of many: what people call it, and what it takes. */
export function propertyLabel(property: CrmProperty): string {
  return `${property.label || property.name} (${typeName(property)})`;
}

/** Whether the browser may be sent there: a CRM speaks HTTPS, and a simulated one listens on this machine. */
export function isAddressOfCrm(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
  );
}
