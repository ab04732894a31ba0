import { domainName } from '@mailproof/shared-types';
import { readDomain } from '../reading/web-address.ts';

/**
 * The registrable domain in what people paste when they are asked for a company: a domain, a host, or the address of a
 * page; read as the store reads websites, so that both come to the same. Undefined where there is none, as in an IP
 * address, a top-level domain, an email address, or a page at a site that many share.
 */
export function siteDomainOf(text: string): string | undefined {
  const parsed = domainName.safeParse(readDomain(text.trim().replace(/^\/\//, '')));
  return parsed.success ? parsed.data : undefined;
}
