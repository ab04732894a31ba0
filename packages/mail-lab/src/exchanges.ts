import type { Catalogue, DomainScript } from './script.ts';

/**
 * Which domains each host takes mail for: those whose MX names it, those whose only address record it
 * is (RFC 5321 section 5.1), those that are a CNAME of one of them, and those that use it without publishing it.
 */
export function domainsByExchange(catalogue: Catalogue): Map<string, Set<string>> {
  const byName = new Map(catalogue.map(script => [script.domain, script]));
  const served = new Map<string, Set<string>>();
  for (const script of catalogue) {
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
