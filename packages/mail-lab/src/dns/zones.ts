import { createHash } from 'node:crypto';
import {
  type Catalog,
  type DnsRecords,
  type DnsTrouble,
  type DomainScript,
  isSmtpScript,
  isWebScript,
} from '../script.ts';
import { openPgpKey } from '../web/openpgp-key.ts';

/**
 * A record in the form that dns-packet encodes; a type that it has no name for is `UNKNOWN_<number>` with raw RDATA.
 */
export type ZoneRecord = { readonly name: string; readonly type: string; readonly data: unknown };

export type Lookup =
  | { readonly outcome: 'answer'; readonly records: readonly ZoneRecord[] }
  | { readonly outcome: 'nodata' | 'nxdomain'; readonly apex: string }
  | { readonly outcome: 'servfail' | 'refused' | 'silent' | 'unscripted' };

type Zone = { readonly trouble?: DnsTrouble; readonly names: Map<string, ZoneRecord[]> };

const aliasesFollowedMax = 8;

/** The zones of the lab's name servers: one per scripted domain, and one per host outside all these domains. */
export class Zones {
  readonly #zones = new Map<string, Zone>();

  /** @param addresses the address of every served host, by name */
  constructor(catalog: Catalog, addresses: ReadonlyMap<string, string>) {
    for (const { domain, dns } of catalog) {
      this.#zones.set(domain, { ...(typeof dns === 'string' && { trouble: dns }), names: new Map() });
    }
    for (const script of catalog) {
      if (typeof script.dns !== 'string') this.#addDomain(script.domain, script.dns);
      for (const [host, address] of publishedAddresses(script, addresses)) {
        const others = typeof script.dns === 'string' ? [] : (script.dns.alsoAt?.[host] ?? []);
        for (const other of others) this.#add(host, 'A', addresses.get(other));
        this.#add(host, 'A', address);
      }
    }
  }

  /** Answers one question as an authoritative server would, following CNAMEs (RFC 1034 section 4.3.2). */
  lookup(name: string, type: string): Lookup {
    const records: ZoneRecord[] = [];
    let asked = name.toLowerCase();
    for (let followed = 0; followed <= aliasesFollowedMax; followed++) {
      const apex = this.#apexOf(asked);
      const zone = apex === undefined ? undefined : this.#zones.get(apex);
      if (apex === undefined || zone === undefined) break;
      if (zone.trouble === 'nxdomain')
        return records.length > 0 ? found(records) : { outcome: 'nxdomain', apex };
      if (zone.trouble !== undefined) return { outcome: zone.trouble };
      const here = zone.names.get(asked);
      const matching = here?.filter(record => record.type === type || type === 'ANY') ?? [];
      records.push(...matching);
      const alias = here?.find(record => record.type === 'CNAME');
      if (matching.length === 0 && alias !== undefined && typeof alias.data === 'string') {
        records.push(alias);
        asked = alias.data;
        continue;
      }
      if (records.length > 0) return found(records);
      return { outcome: here === undefined ? 'nxdomain' : 'nodata', apex };
    }
    return records.length > 0 ? found(records) : { outcome: 'unscripted' };
  }

  #addDomain(domain: string, dns: DnsRecords): void {
    this.#touch(domain);
    for (const [preference, exchange] of dns.mx ?? []) this.#add(domain, 'MX', { preference, exchange });
    if (dns.cname !== undefined) this.#add(domain, 'CNAME', dns.cname);
    for (const [owner, texts] of Object.entries(dns.txt ?? {})) {
      for (const text of texts) this.#add(owner === '@' ? domain : `${owner}.${domain}`, 'TXT', text);
    }
    for (const local of dns.openpgpkey ?? []) {
      this.#add(openPgpKeyName(local, domain), 'UNKNOWN_61', openPgpKey(`${local}@${domain}`));
    }
    for (const local of dns.smimea ?? []) {
      this.#add(smimeaName(local, domain), 'UNKNOWN_53', smimeaAssociation(`${local}@${domain}`));
    }
  }

  #add(name: string, type: string, data: unknown): void {
    this.#touch(name).push({ name, type, data });
  }

  /**
   * Makes a name exist, and all names between it and its apex. A name above another exists even without records, so
   * queries for it get NODATA and not NXDOMAIN (RFC 8020).
   */
  #touch(name: string): ZoneRecord[] {
    let apex = this.#apexOf(name);
    if (apex === undefined) {
      apex = name;
      this.#zones.set(name, { names: new Map() });
    }
    const names = this.#zones.get(apex)?.names ?? new Map<string, ZoneRecord[]>();
    for (let above = name; above.length > apex.length; above = above.slice(above.indexOf('.') + 1)) {
      if (!names.has(above)) names.set(above, []);
    }
    if (!names.has(apex)) names.set(apex, []);
    return names.get(name) ?? [];
  }

  #apexOf(name: string): string | undefined {
    let candidate = name;
    while (!this.#zones.has(candidate)) {
      const dot = candidate.indexOf('.');
      if (dot === -1) return undefined;
      candidate = candidate.slice(dot + 1);
    }
    return candidate;
  }
}

function found(records: readonly ZoneRecord[]): Lookup {
  return { outcome: 'answer', records };
}

function publishedAddresses(
  script: DomainScript,
  addresses: ReadonlyMap<string, string>,
): Map<string, string> {
  const published = new Map<string, string>();
  for (const [name, host] of Object.entries(script.hosts ?? {})) {
    const address = typeof host === 'object' && !isSmtpScript(host) ? host.address : addresses.get(name);
    if (address !== undefined) published.set(name, address);
  }
  for (const [name, host] of Object.entries(script.web ?? {})) {
    const address = isWebScript(host) ? addresses.get(name) : host.address;
    if (address !== undefined) published.set(name, address);
  }
  return published;
}

/** The DNS name of a mailbox's OpenPGP key (RFC 7929 section 3). */
function openPgpKeyName(localPart: string, domain: string): string {
  return `${localPartLabel(localPart)}._openpgpkey.${domain}`;
}

/** The DNS name of a mailbox's S/MIME certificate association (RFC 8162 section 3). */
function smimeaName(localPart: string, domain: string): string {
  return `${localPartLabel(localPart)}._smimecert.${domain}`;
}

/**
 * SMIMEA RDATA (RFC 8162 section 2): a domain-issued end-entity certificate (3), the whole of it (0), as a SHA-256
 * digest (1). No certificate with this digest exists; the lab needs none.
 */
function smimeaAssociation(address: string): Buffer {
  return Buffer.concat([Buffer.from([3, 0, 1]), createHash('sha256').update(address).digest()]);
}

/** SHA-256 of the local part, cut to 28 octets so that its hex form fits a label of 63 octets. */
function localPartLabel(localPart: string): string {
  return createHash('sha256').update(localPart, 'utf8').digest().subarray(0, 28).toString('hex');
}
