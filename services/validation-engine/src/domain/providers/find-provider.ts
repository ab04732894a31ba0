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

/** Suffixes of one rank: plain ones by their text, and those with a `*` in them longest first. */
interface Rank {
  readonly plain: ReadonlyMap<string, Provider>;
  readonly patterns: readonly Suffix[];
}

const ranks: readonly Rank[] = [
  rankOf(providerTable.filter(([kind]) => kind === 'gateway')),
  rankOf(providerTable.filter(([kind]) => kind !== 'gateway')),
];

/** Names the provider that runs a mail host; undefined for a house of its own. */
export function findProvider(mailHost: string, recipientDomain?: string): Provider | undefined {
  const name = mailHost.toLowerCase();
  for (const rank of ranks) {
    const found = findInRank(name, rank);
    if (found !== undefined) {
      const isGmail = found.id === 'google_workspace' && gmailDomains.has(recipientDomain ?? '');
      return isGmail ? gmail : found;
    }
  }
  return undefined;
}

/** Who runs a mail host: its provider, whose hosts answer alike, or else the host itself, which may differ from any other. */
export function operatorOf(mailHost: string, recipientDomain: string): string {
  return findProvider(mailHost, recipientDomain)?.id ?? mailHost;
}

/** The longest suffix wins, so that `olc.protection.outlook.com` beats a shorter one. */
function findInRank(name: string, { plain, patterns }: Rank): Provider | undefined {
  const pattern = patterns.find(({ labels }) => endsWith(name, labels));
  const labels = name.split('.');
  for (let from = 0; from < labels.length; from += 1) {
    if (pattern !== undefined && labels.length - from < pattern.labels.length) {
      break;
    }
    const provider = plain.get(labels.slice(from).join('.'));
    if (provider !== undefined) {
      return provider;
    }
  }
  return pattern?.provider;
}

/** Tells whether a lower-case name is a suffix of the table or lies below it. */
export function matchesSuffix(name: string, suffix: string): boolean {
  return endsWith(name, suffix.split('.'));
}

function endsWith(name: string, suffix: readonly string[]): boolean {
  if (suffix.at(-1) === '*') {
    // With reserved names tldts takes the last label for the public suffix, as RFC 6761 zones have none.
    return (
      name.includes(suffix[0] ?? '') &&
      getPublicSuffix(name) !== null &&
      getDomainWithoutSuffix(name) === suffix[0]
    );
  }
  const labels = name.split('.').slice(-suffix.length);
  return (
    labels.length === suffix.length &&
    suffix.every((label, index) => label === '*' || label === labels[index])
  );
}

function rankOf(table: typeof providerTable): Rank {
  const suffixes = table.flatMap(([kind, entries]) =>
    entries.flatMap(({ id, name, suffixes: texts }) =>
      texts.map(text => ({ text, provider: { id, name, kind } })),
    ),
  );
  return {
    plain: new Map(
      suffixes.filter(({ text }) => !text.includes('*')).map(({ text, provider }) => [text, provider]),
    ),
    patterns: suffixes
      .filter(({ text }) => text.includes('*'))
      .map(({ text, provider }) => ({ labels: text.split('.'), provider }))
      .sort((one, other) => other.labels.length - one.labels.length),
  };
}
