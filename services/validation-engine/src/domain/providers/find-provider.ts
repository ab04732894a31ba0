import type { EmailAddress } from '@mailproof/shared-types';
import { getDomainWithoutSuffix, getPublicSuffix } from 'tldts';
import type { Deadline } from '../concurrency/deadline.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { EvidenceDns } from '../dns/mail-dns.ts';
import { forwarders, inboundApplications } from './forwarders.ts';
import { gateways } from './gateways.ts';
import { mailboxHosts } from './mailbox-hosts.ts';
import type { Provider, ProviderEntry, ProviderId, ProviderKind } from './provider.ts';
import { readSpf, type Spf } from './spf.ts';
import { mailboxSpfNames, sendingSpfNames } from './spf-names.ts';

/** The table in lookup order: gateways first, since their names do not tell what they front. */
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

/** Suffixes of one rank: plain ones by their text, and those with a `*` sorted by length, longest first. */
interface Rank {
  readonly plain: ReadonlyMap<string, Provider>;
  readonly patterns: readonly Suffix[];
}

const ranks: readonly Rank[] = [
  rankOf(providerTable.filter(([kind]) => kind === 'gateway')),
  rankOf(providerTable.filter(([kind]) => kind !== 'gateway')),
];

/** Names the provider that runs a mail host; undefined if it is self-hosted. */
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

/**
 * The operator of a mail host: its provider, whose hosts all answer alike, or the host itself, which may differ from
 * any other.
 */
export function operatorOf(mailHost: string, recipientDomain: string): string {
  return findProvider(mailHost, recipientDomain)?.id ?? mailHost;
}

/** Finds the longest matching suffix, so that `olc.protection.outlook.com` beats a shorter one. */
function findInRank(name: string, { plain, patterns }: Rank): Provider | undefined {
  const labels = name.split('.');
  const pattern = patterns.find(suffix => endsWith(name, labels, suffix.labels));
  const countMin = pattern?.labels.length ?? 1;
  for (let count = labels.length, rest = name; count >= countMin; count -= 1) {
    const provider = plain.get(rest);
    if (provider !== undefined) {
      return provider;
    }
    rest = rest.slice(rest.indexOf('.') + 1);
  }
  return pattern?.provider;
}

/** Tells whether a lower-case name is a suffix of the table or lies below it. */
function matchesSuffix(name: string, suffix: string): boolean {
  return endsWith(name, name.split('.'), suffix.split('.'));
}

function endsWith(name: string, labels: readonly string[], suffix: readonly string[]): boolean {
  if (suffix.at(-1) === '*') {
    // For reserved names, tldts takes the last label as the public suffix, as RFC 6761 zones have none.
    return (
      name.includes(suffix[0] ?? '') &&
      getPublicSuffix(name) !== null &&
      getDomainWithoutSuffix(name) === suffix[0]
    );
  }
  const before = labels.length - suffix.length;
  return before >= 0 && suffix.every((label, index) => label === '*' || label === labels[before + index]);
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

/** The provider of the mailboxes behind a gateway, and the source of that inference: no host was probed. */
export interface MailboxProvider {
  readonly id: ProviderId;
  readonly inferredFrom: 'mx' | 'spf';
}

/**
 * Infers the mailbox provider of a domain whose preferred mail host is a gateway: from its lower-preference mail hosts,
 * or else from its SPF record. It sends no query if there is no gateway, and at most two if there is one. It cannot
 * fail.
 */
export async function findMailboxProvider(
  dns: Pick<EvidenceDns, 'resolveText'>,
  mailHosts: MailHosts,
  domain: EmailAddress['domain'],
  deadline: Deadline,
): Promise<MailboxProvider | undefined> {
  if (mailHosts.kind !== 'found' || domain.kind !== 'name') {
    return undefined;
  }
  if (findProvider(mailHosts.preferred, domain.ascii)?.kind !== 'gateway') {
    return undefined;
  }
  const byMx = providerOfMx(
    mailHosts.hosts.map(({ name }) => name),
    domain.ascii,
  );
  if (byMx !== undefined) {
    return { id: byMx, inferredFrom: 'mx' };
  }
  const bySpf = await providerOfDomain(dns, domain.ascii, deadline);
  return bySpf === undefined ? undefined : { id: bySpf, inferredFrom: 'spf' };
}

/** The only mailbox host among the published mail hosts. */
function providerOfMx(hosts: readonly string[], domain: string): ProviderId | undefined {
  const providers = hosts.map(host => findProvider(host, domain));
  return single(
    providers.filter(provider => provider?.kind === 'mailbox_host').map(provider => provider?.id),
  );
}

/** The only mailbox host that an SPF record names; if it names two, either may have the mailboxes. */
export function providerOfSpf({ includes, redirect }: Spf): ProviderId | undefined {
  return single([...includes, ...(redirect === undefined ? [] : [redirect])].map(providerOfSpfName));
}

function providerOfSpfName(name: string): ProviderId | undefined {
  if (sendingSpfNames.some(suffix => matchesSuffix(name, suffix))) {
    return undefined;
  }
  return Object.entries(mailboxSpfNames).find(([, suffixes]) =>
    suffixes.some(suffix => matchesSuffix(name, suffix)),
  )?.[0];
}

async function providerOfDomain(
  dns: Pick<EvidenceDns, 'resolveText'>,
  domain: string,
  deadline: Deadline,
): Promise<ProviderId | undefined> {
  const spf = await spfOf(dns, domain, deadline);
  if (spf === undefined) {
    return undefined;
  }
  const named = providerOfSpf(spf);
  const elsewhere = spf.redirect ?? spf.includes.find(name => matchesSuffix(name, domain));
  if (named !== undefined || elsewhere === undefined || elsewhere === domain) {
    return named;
  }
  // A domain may publish its record under another of its names. The includes of other parties' records say nothing
  // about the domain, so only one step is followed.
  const next = await spfOf(dns, elsewhere, deadline);
  return next === undefined ? undefined : providerOfSpf(next);
}

async function spfOf(
  dns: Pick<EvidenceDns, 'resolveText'>,
  name: string,
  deadline: Deadline,
): Promise<Spf | undefined> {
  const answer = await dns.resolveText(name, deadline);
  return answer.kind === 'answer' ? readSpf(answer.records) : undefined;
}

function single(ids: readonly (ProviderId | undefined)[]): ProviderId | undefined {
  const distinct = [...new Set(ids.filter(id => id !== undefined))];
  return distinct.length === 1 ? distinct[0] : undefined;
}
