import { automaticBlocks, planAddresses } from './addresses.ts';
import { catalog as wholeCatalog } from './catalog.ts';
import { catalogFaults } from './catalog-faults.ts';
import type { LabCounts } from './counts.ts';
import { type Credentials, createCredentials, type OpenBlock, openBlock } from './open-block.ts';
import type { Catalog } from './script.ts';

type MailLabOptions = {
  /** The domains to serve; the whole catalog if omitted. */
  readonly catalog?: Catalog;
  /** The port of every mail host; if omitted, 25 if it can be bound and a high port otherwise. */
  readonly smtpPort?: number;
  /** The name server's port for UDP and TCP; any free one if omitted. */
  readonly dnsPort?: number;
  /** The port of every web host; if omitted, 443 if it can be bound and a high port otherwise. */
  readonly httpsPort?: number;
  /** The network latency to simulate, in milliseconds; 0 if omitted. */
  readonly roundTripMs?: number;
  /** The address block, such as `127.42.0.0/16`; the first free block of loopback if omitted. */
  readonly addressBlock?: string;
  /** Called for each request that the catalog does not script, with one sentence. */
  readonly onUnscripted?: (what: string) => void;
};

export type MailLab = {
  /** `host:port`. */
  readonly dnsServer: string;
  readonly smtpPort: number;
  readonly httpsPort: number;
  /** The certificate of the authority that signs the web hosts' certificates. */
  readonly caCertificatePem: string;
  /** The address ranges of all hosts, as CIDR. */
  readonly allowedRanges: readonly string[];
  readonly catalog: Catalog;
  counts(): LabCounts;
  /** Resets the counts and reports, but not open sessions or greylists. */
  resetCounts(): void;
  /** Changes the simulated latency from now on. */
  setRoundTripMs(roundTripMs: number): void;
  /** Ends all connections and frees all addresses. Closing again has no effect. */
  close(): Promise<void>;
};

const smtpPorts = [25, 2525, 12_525];
const httpsPorts = [443, 8443, 18_443];
const unscriptedKeptMax = 1_000;

/**
 * Starts the name server, mail hosts and web hosts on loopback.
 *
 * @throws Error when the catalog contradicts itself, when no address block is free, or when 127.0.0.1 is the system's
 *   only loopback address
 */
export async function startMailLab(options: MailLabOptions = {}): Promise<MailLab> {
  const catalog = options.catalog ?? wholeCatalog;
  const faults = catalogFaults(catalog);
  if (faults.length > 0) throw new Error(`The catalog contradicts itself. ${faults.join(' ')}`);

  let roundTripMs = options.roundTripMs ?? 0;
  let unscripted: string[] = [];
  let closing: Promise<void> | undefined;
  const credentials = await createCredentials(catalog);
  const open = await openFirstFree(catalog, options, credentials, {
    roundTripMs: () => roundTripMs,
    onUnscripted: what => {
      if (unscripted.length < unscriptedKeptMax) unscripted.push(what);
      options.onUnscripted?.(what);
    },
  });

  return {
    dnsServer: `${open.plan.dnsAddress}:${open.dns.port}`,
    smtpPort: open.smtpPort,
    httpsPort: open.httpsPort,
    caCertificatePem: credentials.authority.certificatePem,
    allowedRanges: [open.plan.range],
    catalog,
    counts: () => ({
      dns: open.dns.counts(),
      smtp: Object.fromEntries(
        open.mailHosts
          .map(host => [host.name, host.counts()] as const)
          .filter(([, counts]) => counts.connections + counts.sessionsOpen > 0),
      ),
      web: Object.assign({}, ...open.webHosts.map(host => host.counts())),
      unscripted: [...unscripted],
    }),
    resetCounts: () => {
      for (const server of [open.dns, ...open.mailHosts, ...open.webHosts]) server.resetCounts();
      unscripted = [];
    },
    setRoundTripMs: changed => {
      roundTripMs = changed;
    },
    close: () => {
      closing ??= open.close();
      return closing;
    },
  };
}

/** Opens the first free block. Any block is suitable, but port 25 is preferred, so it is tried in all blocks first. */
async function openFirstFree(
  catalog: Catalog,
  options: MailLabOptions,
  credentials: Credentials,
  behavior: { roundTripMs: () => number; onUnscripted: (what: string) => void },
): Promise<OpenBlock> {
  const blocks = options.addressBlock === undefined ? automaticBlocks : [options.addressBlock];
  let lastError: unknown;
  for (const smtpPort of options.smtpPort === undefined ? smtpPorts : [options.smtpPort]) {
    for (const block of blocks) {
      try {
        return await openBlock({
          catalog,
          plan: planAddresses(catalog, block),
          smtpPort,
          httpsPorts: options.httpsPort === undefined ? httpsPorts : [options.httpsPort],
          dnsPort: options.dnsPort ?? 0,
          credentials,
          ...behavior,
        });
      } catch (error) {
        lastError = error;
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'EADDRNOTAVAIL') throw new Error(onlyOneLoopbackAddress, { cause: error });
        if (code === 'EACCES') break;
        if (code !== 'EADDRINUSE') throw error;
      }
    }
  }
  throw new Error('No address block has the ports the lab needs. Name other ports, or stop another lab.', {
    cause: lastError,
  });
}

const onlyOneLoopbackAddress =
  'The lab gives every host its own address in 127.0.0.0/8, and this system has only 127.0.0.1. ' +
  'macOS needs each one added with `ifconfig lo0 alias`; a Linux machine or container has them all.';
