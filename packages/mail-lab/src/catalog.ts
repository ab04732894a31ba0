import { catchAlls } from './catalog/catch-alls.ts';
import { dnsTrouble } from './catalog/dns-trouble.ts';
import { equalHosts } from './catalog/equal-hosts.ts';
import { mailboxes } from './catalog/mailboxes.ts';
import { providers } from './catalog/providers.ts';
import { refusals } from './catalog/refusals.ts';
import { sessionTrouble } from './catalog/session-trouble.ts';
import type { Catalog, DomainScript } from './script.ts';

/** The chapters of the catalog, in reading order. `CATALOG.md` is generated from this list. */
export const chapters: readonly (readonly [title: string, domains: Catalog])[] = [
  ['Hosts that answer about a mailbox', mailboxes],
  ['Catch-alls', catchAlls],
  ['Hosts of equal preference', equalHosts],
  ['Providers and gateways', providers],
  ['DNS tells the story', dnsTrouble],
  ['Hosts that are hard to talk to', sessionTrouble],
  ['Refusals about us or about this moment', refusals],
];

/**
 * Every domain of the lab. Names are reserved ones (RFC 2606), except for look-alikes of real providers, which are used
 * to test the naming of providers.
 */
export const catalog: Catalog = chapters.flatMap(([, domains]) => domains);

/**
 * Returns the domains for which each host accepts mail: those whose MX names it, those without an MX that resolve to it
 * (RFC 5321 section 5.1), those with a CNAME to one of them, and those that use it without publishing it.
 */
export function domainsByExchange(catalog: Catalog): Map<string, Set<string>> {
  const byName = new Map(catalog.map(script => [script.domain, script]));
  const served = new Map<string, Set<string>>();
  for (const script of catalog) {
    for (const exchange of [...exchangesOf(script, byName), ...(script.unpublishedExchanges ?? [])]) {
      served.set(exchange, (served.get(exchange) ?? new Set()).add(script.domain));
    }
  }
  return served;
}

function exchangesOf(script: DomainScript, byName: ReadonlyMap<string, DomainScript>): readonly string[] {
  const seen = new Set<DomainScript>();
  let current: DomainScript | undefined = script;
  while (current !== undefined && !seen.has(current)) {
    seen.add(current);
    if (typeof current.dns === 'string') return [];
    if (current.dns.mx !== undefined) {
      return current.dns.mx.map(([, exchange]) => exchange).filter(exchange => exchange !== '.');
    }
    if (current.dns.cname === undefined) {
      return current.hosts?.[current.domain] === undefined ? [] : [current.domain];
    }
    current = byName.get(current.dns.cname);
  }
  return [];
}
