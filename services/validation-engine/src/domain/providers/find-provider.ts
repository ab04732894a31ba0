import { getDomainWithoutSuffix, getPublicSuffix } from 'tldts';
import { forwarders } from './forwarders.ts';
import { gateways } from './gateways.ts';
import { inboundApplications } from './inbound-applications.ts';
import { mailboxHosts } from './mailbox-hosts.ts';
import type { Provider, ProviderEntry, ProviderKind } from './provider.ts';

/** The table in the order of looking: gateways first, since what they front cannot be told from their name. */
export const providerTable: readonly (readonly [ProviderKind, readonly ProviderEntry[]])[] = [
  ['gateway', gateways],
  ['mailbox_host', mailboxHosts],
  ['forwarder', forwarders],
  ['inbound_application', inboundApplications],
];

/** Gmail's consumer service, which shares its mail hosts with Google Workspace. */
export const gmail: Provider = { id: 'gmail', name: 'Gmail', kind: 'mailbox_host' };
const gmailDomains: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

interface Suffix {
  readonly labels: readonly string[];
  readonly provider: Provider;
}

/** Longest suffix first within each rank, so that `olc.protection.outlook.com` beats a shorter one. */
const ranks: readonly (readonly Suffix[])[] = [
  suffixesOf(providerTable.filter(([kind]) => kind === 'gateway')),
  suffixesOf(providerTable.filter(([kind]) => kind !== 'gateway')),
];

/** Names the provider that runs a mail host; undefined for a house of its own. */
export function findProvider(mailHost: string, recipientDomain?: string): Provider | undefined {
  const name = mailHost.toLowerCase();
  for (const rank of ranks) {
    const found = rank.find(({ labels }) => endsWith(name, labels));
    if (found !== undefined) {
      const isGmail = found.provider.id === 'google_workspace' && gmailDomains.has(recipientDomain ?? '');
      return isGmail ? gmail : found.provider;
    }
  }
  return undefined;
}

/** Tells whether a lower-case name is a suffix of the table or lies below it. */
export function matchesSuffix(name: string, suffix: string): boolean {
  return endsWith(name, suffix.split('.'));
}

function endsWith(name: string, suffix: readonly string[]): boolean {
  if (suffix.at(-1) === '*') {
    // With reserved names tldts takes the last label for the public suffix, as RFC 6761 zones have none.
    return getPublicSuffix(name) !== null && getDomainWithoutSuffix(name) === suffix[0];
  }
  const labels = name.split('.').slice(-suffix.length);
  return (
    labels.length === suffix.length &&
    suffix.every((label, index) => label === '*' || label === labels[index])
  );
}

function suffixesOf(table: typeof providerTable): Suffix[] {
  return table
    .flatMap(([kind, entries]) =>
      entries.flatMap(({ id, name, suffixes }) =>
        suffixes.map(suffix => ({ labels: suffix.split('.'), provider: { id, name, kind } })),
      ),
    )
    .sort((one, other) => other.labels.length - one.labels.length);
}
