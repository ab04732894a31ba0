import { domainsByExchange } from './catalog.ts';
import { type Catalog, type DomainScript, isSmtpScript, type Reply } from './script.ts';
import { splitAddress } from './smtp/commands.ts';

/**
 * Returns the contradictions in a catalog, one sentence each; empty for a valid catalog. The lab refuses to start with
 * a faulty catalog, because a forgotten host looks like a validator's bug.
 */
export function catalogFaults(catalog: Catalog): string[] {
  const hostNames = catalog.flatMap(script => Object.keys(script.hosts ?? {}));
  const context = {
    domains: new Set(catalog.map(({ domain }) => domain)),
    hosts: new Set(hostNames),
    exchanges: domainsByExchange(catalog),
  };
  return [
    ...repeated(catalog.map(({ domain }) => domain)).map(domain => `${domain} is scripted twice.`),
    ...repeated(hostNames).map(host => `Host ${host} is scripted twice.`),
    ...repeated(catalog.flatMap(({ web }) => Object.keys(web ?? {}))).map(
      site => `Site ${site} is scripted twice.`,
    ),
    ...catalog.flatMap(script => domainFaults(script, context)),
  ];
}

type Context = {
  readonly domains: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  readonly exchanges: ReadonlyMap<string, ReadonlySet<string>>;
};

function domainFaults(script: DomainScript, { domains, hosts, exchanges }: Context): string[] {
  const { domain, dns } = script;
  const faults: string[] = [];
  if (!/^[a-z0-9.-]+$/.test(domain)) faults.push(`${domain} is not a lower-case ASCII name.`);
  if (typeof dns === 'string') {
    if (script.hosts !== undefined || script.web !== undefined) {
      faults.push(`${domain} answers ${dns} and has hosts that cannot be resolved.`);
    }
  } else {
    for (const [, exchange] of dns.mx ?? []) {
      if (exchange !== '.' && !hosts.has(exchange))
        faults.push(`${domain} has MX ${exchange}, which has no script.`);
    }
    if (dns.cname !== undefined && !domains.has(dns.cname)) {
      faults.push(`${domain} is a CNAME of ${dns.cname}, which is not scripted.`);
    }
  }
  const others = typeof dns === 'string' ? [] : Object.values(dns.alsoAt ?? {}).flat();
  for (const other of others) {
    if (!hosts.has(other)) faults.push(`${domain} shares the address of ${other}, which has no script.`);
  }
  for (const [name, host] of Object.entries(script.hosts ?? {})) {
    if (!exchanges.has(name) && !others.includes(name))
      faults.push(`Host ${name} is the exchange of no domain.`);
    if (isSmtpScript(host)) faults.push(...scriptedReplies(host).flatMap(reply => replyFaults(name, reply)));
  }
  for (const { address } of script.expected) {
    if (splitAddress(address).domain !== domain) faults.push(`${address} does not belong to ${domain}.`);
  }
  return faults;
}

/** Fields whose text is not a reply. */
const wordsOfOwn: ReadonlySet<string> = new Set([
  'capabilities',
  'dropAfter',
  'silentAfter',
  'brokenPipelining',
  'believesFirst',
]);

/** Returns every reply of a script, found by its type so that new kinds of replies are also checked. */
function scriptedReplies(host: object): Reply[] {
  return Object.entries(host).flatMap(([key, value]): Reply[] => {
    if (wordsOfOwn.has(key)) return [];
    if (key === 'mailboxes') return Object.values(value as Record<string, Reply>);
    return typeof value === 'string' || Array.isArray(value) ? [value as Reply] : [];
  });
}

function replyFaults(host: string, reply: Reply): string[] {
  const lines = typeof reply === 'string' ? [reply] : reply;
  const code = lines[0]?.slice(0, 3) ?? '';
  const sound = lines.every((line, index) =>
    line.startsWith(code + (index === lines.length - 1 ? ' ' : '-')),
  );
  return /^[2-5]\d\d$/.test(code) && sound
    ? []
    : [`Host ${host} has a malformed reply: ${lines.join(' / ')}`];
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
