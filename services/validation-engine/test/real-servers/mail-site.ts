import { type MailLab, startMailLab } from '@mailproof/mail-lab';

/** The lab's DNS, which directs the domains of a test to real servers in its address block. */
export interface MailSite {
  readonly lab: MailLab;
  readonly smtpPort: number;
  /** A recursive name server on port 53, for the servers themselves. */
  readonly nameServer: string;
  addressOf(host: string): string;
  close(): Promise<void>;
}

/** The servers' port: they can all use the same one, since each has its own address. */
const smtpPort = 2525;
const dnsPort = 53;
/** Above the blocks that labs try first. */
const blocks = Array.from({ length: 20 }, (_, index) => 225 + index);

export interface SitePlan {
  /** The one MX host of each domain. */
  readonly hostOf: Readonly<Record<string, string>>;
  /** Block lists, each with the answers for its names. */
  readonly lists?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Domains that do not exist in DNS. */
  readonly missingDomains?: readonly string[];
}

/**
 * Publishes domains whose mail hosts have not been started yet.
 *
 * @throws Error if the ports are not free in any address block
 */
export async function openMailSite({ hostOf, lists = {}, missingDomains = [] }: SitePlan): Promise<MailSite> {
  const hosts = [...new Set(Object.values(hostOf))];
  let lastError: unknown;
  for (const block of blocks) {
    const addresses = new Map(hosts.map((host, index) => [host, `127.${block}.200.${index + 1}`]));
    try {
      const lab = await startMailLab({
        catalog: [...served(hostOf, addresses), ...blockLists(lists), ...missing(missingDomains)],
        addressBlock: `127.${block}.0.0/16`,
        smtpPort,
        dnsPort,
      });
      return {
        lab,
        smtpPort,
        nameServer: `127.${block}.0.1`,
        addressOf: host => addresses.get(host) ?? '',
        close: () => lab.close(),
      };
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}

function served(hostOf: Readonly<Record<string, string>>, addresses: ReadonlyMap<string, string>) {
  const published = new Set<string>();
  return Object.entries(hostOf).map(([domain, host]) => {
    // A host is scripted only once, with the first of its domains.
    const isNew = !published.has(host);
    published.add(host);
    return {
      domain,
      story: 'Is served by a real server.',
      dns: { mx: [[10, host]] as const },
      ...(isNew && { hosts: { [host]: { address: addresses.get(host) ?? '' } } }),
      expected: [],
    };
  });
}

function blockLists(lists: NonNullable<SitePlan['lists']>) {
  return Object.entries(lists).map(([domain, entries]) => ({
    domain,
    story: 'Is a block list.',
    // The lab publishes only the names of mail hosts.
    dns: { mx: Object.keys(entries).map(name => [10, name] as const) },
    hosts: Object.fromEntries(Object.entries(entries).map(([name, address]) => [name, { address }])),
    expected: [],
  }));
}

function missing(missingDomains: readonly string[]) {
  return missingDomains.map(domain => ({
    domain,
    story: 'Does not exist.',
    dns: 'nxdomain' as const,
    expected: [],
  }));
}
