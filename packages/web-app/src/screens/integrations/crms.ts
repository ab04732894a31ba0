import { crmProviders } from '@mailproof/shared-types';
import { useParams } from '@tanstack/react-router';
import { $api, type Schema } from '../../api/client.ts';
import type { SavedList } from '../../api/shared-queries.ts';

export type CrmConnection = Schema['CrmConnection'];
export type CrmProvider = CrmConnection['provider'];
export type CrmObject = CrmConnection['objects'][number];
export type CrmProperty = Schema['CrmProperty'];
export type CrmPolicy = Schema['CrmFieldMapping']['policy'];

export const crmNames: Readonly<Record<CrmProvider, string>> = crmProviders;

/** What each CRM requires of its users, which settings the operator configures, and the CRM's own terms. */
export const crmFacts = {
  hubspot: {
    needs: 'Requires a HubSpot super admin, or a user with the permission “App Marketplace Access”.',
    settings: ['HUBSPOT_CLIENT_ID', 'HUBSPOT_CLIENT_SECRET'],
    segments: 'List',
    guide: '/docs/connect-a-crm',
  },
  salesforce: {
    needs:
      'A Salesforce administrator must install the app first; the user who connects it needs “API Enabled”.',
    settings: ['SALESFORCE_CLIENT_ID', 'SALESFORCE_CLIENT_SECRET'],
    segments: 'List view',
    guide: '/docs/connect-salesforce',
  },
} as const satisfies Record<
  CrmProvider,
  { needs: string; settings: readonly string[]; segments: string; guide: string }
>;

/** Names a kind of record as the users of each CRM call it. */
export function objectName(provider: CrmProvider, object: CrmObject): string {
  if (object === 'company') return provider === 'salesforce' ? 'Accounts' : 'Companies';
  return object === 'lead' ? 'Leads' : 'Contacts';
}

/** The display names of the policies for an existing value. */
export const policyNames: Readonly<Record<CrmPolicy, string>> = {
  fill_blank: 'Fill if blank',
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

/** Returns the label of a property in a list of choices: its display name and its type. */
export function propertyLabel(property: CrmProperty): string {
  return `${property.label || property.name} (${typeName(property)})`;
}

/** Whether the browser may be redirected to a URL: CRMs use HTTPS, and simulated CRMs run on this machine. */
export function isAddressOfCrm(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (
    protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
  );
}

type Source = Schema['NewExport']['source'];

/** Returns the rows named in the screen's URL; undefined if it names none, or a list that does not exist. */
export function pushSourceOf(
  rows: string | undefined,
  lists: readonly Pick<SavedList, 'list_id' | 'kind'>[],
  onlyGood: boolean,
): Source | undefined {
  if (rows === 'saved_people' || rows === 'saved_companies') return { kind: rows };
  if (rows?.startsWith('vjob_')) {
    return {
      kind: 'validation_job',
      job_id: rows,
      without_duplicates: true,
      ...(onlyGood && { results: ['ok', 'catch_all_validated'] }),
    };
  }
  const list = lists.find(({ list_id }) => list_id === rows);
  return list && { kind: list.kind === 'people' ? 'saved_people' : 'saved_companies', list_id: list.list_id };
}

/** The query of the account's CRM connections. */
export function useConnections() {
  return $api.useQuery('get', '/crm-connections');
}

/**
 * Returns the connection of the current screen, which renders its parts only if the connection exists.
 *
 * @throws if the connection does not exist
 */
export function useConnection(): CrmConnection {
  const { connectionId } = useParams({ strict: false });
  const { data } = useConnections();
  const found = data?.connections.find(({ connection_id: id }) => id === connectionId);
  if (!found) throw new Error('Connection not found.');
  return found;
}
