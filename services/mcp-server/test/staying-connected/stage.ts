import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DocumentSite, documentOf, goodDocument, openDocumentSite } from '../document-site.ts';
import { openToolHouse, type ToolHouse } from '../house.ts';
import { startLoopbackProxy } from '../loopback-proxy.ts';
import { clockSetting } from './moved-clock.ts';
import { createNetwork, type Network } from './network.ts';

/** A house with a clock and network that a test controls, and a site that publishes a client's metadata document. */
export interface Stage {
  /** Clients reach it only through `network`. */
  readonly house: ToolHouse;
  readonly network: Network;
  /** The client id that is the URL of a metadata document. */
  readonly documentUrl: string;
  /** A scratch folder. */
  readonly folder: string;
  /** Lets another process read the same clock. */
  readonly clockEnvironment: Readonly<Record<string, string>>;
  /** Lets time pass for every service, and for the programs that read the clock. */
  pass(minutes: number): Promise<void>;
  /**
   * Sets the clocks back. Postgres uses its own clock, so no user can sign in once it lags the moved clocks by a
   * quarter of an hour: the connection would have expired.
   */
  forgetPassedTime(): Promise<void>;
  stop(): Promise<void>;
}

/** The redirect URIs of the document; programs differ in the path at which they listen. */
const redirectUris = ['http://127.0.0.1/callback', 'http://127.0.0.1/oauth/callback'];

const services = ['gateway', 'credit-ledger', 'mcp-server'] as const;

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-staying-connected-'));
  const clock = await startClock(join(folder, 'clock'));
  const site = await openDocumentSite(() => ({
    ...goodDocument,
    body: url => documentOf(url, { redirect_uris: redirectUris }),
  }));
  const network = createNetwork();
  let target = '';
  const proxy = await startLoopbackProxy(request => network.route(target, request));
  const house = await openHouse({ folder, proxyUrl: proxy.url, site, clock });
  target = house.house.toolServerUrls[0] ?? '';
  return {
    house,
    network,
    documentUrl: `${site.origin}/client.json`,
    folder,
    clockEnvironment: clock.environment,
    pass: clock.pass,
    forgetPassedTime: clock.reset,
    async stop() {
      await house.stop();
      await Promise.all([proxy.close(), site.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Clock {
  readonly environment: Readonly<Record<string, string>>;
  pass(minutes: number): Promise<void>;
  reset(): Promise<void>;
}

async function startClock(file: string): Promise<Clock> {
  let movedMs = 0;
  async function move(ms: number): Promise<void> {
    movedMs = ms;
    // Renamed into place, so that no process reads a partly written file.
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  }
  await move(0);
  const preload = pathToFileURL(join(import.meta.dirname, 'moved-clock.ts')).href;
  return {
    environment: { NODE_OPTIONS: `--import=${preload}`, [clockSetting]: file },
    pass: minutes => move(movedMs + minutes * 60_000),
    reset: () => move(0),
  };
}

async function openHouse(parts: {
  readonly folder: string;
  readonly proxyUrl: string;
  readonly site: DocumentSite;
  readonly clock: Clock;
}): Promise<ToolHouse> {
  const authorities = join(parts.folder, 'certificate.pem');
  await writeFile(authorities, parts.site.ca);
  const { environment } = parts.clock;
  return openToolHouse({
    // Node reads the settings that set the clock and the certification authorities.
    inOneProcess: false,
    lab: false,
    only: services,
    publicUrl: parts.proxyUrl,
    env: {
      ...Object.fromEntries(services.map(name => [name, environment])),
      'mcp-server': {
        ...environment,
        MCP_PUBLIC_BASE_URL: parts.proxyUrl,
        // `localhost` can resolve to ::1 first, where nothing listens.
        OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
        NODE_EXTRA_CA_CERTS: authorities,
      },
    },
  });
}
