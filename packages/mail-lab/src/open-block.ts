import { createServer } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type AddressPlan, closeListener, listen } from './addresses.ts';
import { domainsByExchange } from './catalog.ts';
import { type DnsServer, startDnsServer } from './dns/server.ts';
import { Zones } from './dns/zones.ts';
import { type Catalog, type HostScript, isSmtpScript, isWebScript } from './script.ts';
import { openBlackHoles } from './smtp/black-holes.ts';
import { type SmtpServer, startSmtpServer } from './smtp/server.ts';
import {
  type CertificateAuthority,
  createAuthority,
  createSelfSigned,
  type Identity,
} from './web/certificates.ts';
import { startWebServer, type WebServer } from './web/server.ts';

export type Credentials = {
  readonly authority: CertificateAuthority;
  /** One self-signed certificate, shared by all mail hosts. */
  readonly mailHosts: SecureContext;
  readonly webHosts: ReadonlyMap<string, Identity>;
};

export type OpenBlock = {
  readonly plan: AddressPlan;
  readonly smtpPort: number;
  readonly httpsPort: number;
  readonly dns: DnsServer;
  readonly mailHosts: readonly SmtpServer[];
  readonly webHosts: readonly WebServer[];
  close(): Promise<void>;
};

export type OpenBlockOptions = {
  readonly catalog: Catalog;
  readonly plan: AddressPlan;
  readonly smtpPort: number;
  readonly httpsPorts: readonly number[];
  readonly dnsPort: number;
  readonly credentials: Credentials;
  readonly roundTripMs: () => number;
  readonly onUnscripted: (what: string) => void;
};

export async function createCredentials(catalog: Catalog): Promise<Credentials> {
  const authority = await createAuthority();
  const shared = await createSelfSigned('mail-lab.test');
  const webHosts = new Map<string, Identity>();
  for (const [name, site] of catalog.flatMap(({ web }) => Object.entries(web ?? {}))) {
    if (!isWebScript(site)) continue;
    const selfSigned = site.certificate === 'self_signed';
    webHosts.set(name, selfSigned ? await createSelfSigned(name) : await authority.issue(name));
  }
  return {
    authority,
    mailHosts: createSecureContext({ cert: shared.certificatePem, key: shared.keyPem }),
    webHosts,
  };
}

/**
 * Opens every server of a lab in one address block, or none of them.
 *
 * @throws the bind error, after closing the servers opened so far
 */
export async function openBlock(options: OpenBlockOptions): Promise<OpenBlock> {
  const { catalog, plan, smtpPort, credentials, roundTripMs, onUnscripted } = options;
  const opened: { close(): Promise<void> }[] = [];
  const keep = <Opened extends { close(): Promise<void> }>(server: Opened): Opened => {
    opened.push(server);
    return server;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map(server => server.close()));
  };
  const shared = { roundTripMs, onUnscripted };
  try {
    keep(await claim(plan.dnsAddress, smtpPort, onUnscripted));
    const httpsPort = await claimFirst(plan.dnsAddress, options.httpsPorts, onUnscripted, keep);
    const zones = new Zones(catalog, plan.addresses);
    const dns = keep(
      await startDnsServer({ zones, address: plan.dnsAddress, port: options.dnsPort, ...shared }),
    );
    const blackHoles = addressesOf('black_hole', catalog, plan);
    if (blackHoles.length > 0) keep(await openBlackHoles(blackHoles, smtpPort));
    const mailHosts: SmtpServer[] = [];
    const webHosts: WebServer[] = [];
    const domains = domainsByExchange(catalog);
    for (const script of catalog) {
      for (const [name, host] of Object.entries(script.hosts ?? {})) {
        const address = plan.addresses.get(name);
        if (!isSmtpScript(host) || address === undefined) continue;
        const mailHost = { name, script: host, domains: domains.get(name) ?? new Set<string>(), address };
        const secureContext = credentials.mailHosts;
        mailHosts.push(
          keep(await startSmtpServer({ ...mailHost, port: smtpPort, secureContext, ...shared })),
        );
      }
      for (const [name, site] of Object.entries(script.web ?? {})) {
        const address = plan.addresses.get(name);
        const identity = credentials.webHosts.get(name);
        if (!isWebScript(site) || address === undefined || identity === undefined) continue;
        const webHost = { name, script: site, identity, address, port: httpsPort };
        webHosts.push(keep(await startWebServer({ ...webHost, ...shared })));
      }
    }
    return { plan, smtpPort, httpsPort, dns, mailHosts, webHosts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function addressesOf(kind: HostScript, catalog: Catalog, { addresses }: AddressPlan): string[] {
  return catalog
    .flatMap(({ hosts }) => Object.entries(hosts ?? {}))
    .flatMap(([name, host]) => (host === kind ? [addresses.get(name)] : []))
    .filter(address => address !== undefined);
}

/**
 * Binds a port at the block's first address, which no host uses, so that a second lab notices that the block is taken.
 * Connections to it are reported.
 */
async function claim(
  address: string,
  port: number,
  onUnscripted: (what: string) => void,
): Promise<{ close(): Promise<void> }> {
  const server = createServer(socket => {
    onUnscripted(`TCP connection to ${address}:${port}, where no host lives`);
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await listen(server, address, port);
  return { close: () => closeListener(server) };
}

async function claimFirst(
  address: string,
  ports: readonly number[],
  onUnscripted: (what: string) => void,
  keep: (server: { close(): Promise<void> }) => unknown,
): Promise<number> {
  let lastError: unknown;
  for (const port of ports) {
    try {
      keep(await claim(address, port, onUnscripted));
      return port;
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}
