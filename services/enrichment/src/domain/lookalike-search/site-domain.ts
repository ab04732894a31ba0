import { domainName } from '@mailproof/shared-types';
import { getDomain } from 'tldts';

/**
 * The registrable domain in what people paste when they are asked for a company: a domain, a host, or the address of a
 * page; as A-labels. Undefined where there is none, as in an IP address, a top-level domain, or an email address.
 */
export function siteDomainOf(text: string): string | undefined {
  const host = hostOf(text.trim());
  const parsed = domainName.safeParse(host);
  return parsed.success ? (getDomain(parsed.data) ?? undefined) : undefined;
}

function hostOf(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  const url = URL.parse(address);
  // Somebody's address is no company, although a URL would take what stands before the @ for a user's name.
  return url === null || !/^https?:$/.test(url.protocol) || url.username !== '' ? '' : url.hostname;
}
