import type { EmailAddress } from '@mailproof/shared-types';
import type { Deadline } from '../deadline.ts';
import type { EvidenceDns } from '../dns/evidence-dns.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import { findProvider, matchesSuffix } from './find-provider.ts';
import type { ProviderId } from './provider.ts';
import { readSpf, type Spf } from './spf.ts';
import { mailboxSpfNames, sendingSpfNames } from './spf-names.ts';

/** Who keeps the mailboxes behind a gateway, and what says so. An inference: nobody was asked. */
export interface MailboxProvider {
  readonly id: ProviderId;
  readonly inferredFrom: 'mx' | 'spf';
}

/**
 * Infers who keeps the mailboxes of a domain whose preferred mail host is a gateway: from its lower-preference mail
 * hosts, else from its SPF record. Nothing is asked where no gateway fronts, at most two questions where one does, and
 * none of it can fail.
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

/** The one mailbox host among the published mail hosts. */
function providerOfMx(hosts: readonly string[], domain: string): ProviderId | undefined {
  const providers = hosts.map(host => findProvider(host, domain));
  return single(
    providers.filter(provider => provider?.kind === 'mailbox_host').map(provider => provider?.id),
  );
}

/** The one mailbox host that an SPF record names; of two, mail may be kept at either. */
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
  // A domain may keep its record under a name of its own. What others include in theirs says nothing about it, so
  // that this is one step and no more.
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
