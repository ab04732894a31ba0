import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Customer,
  createCustomer,
  type Environment,
  type House,
  type KillableServer,
  labEnvironment,
  openWebhookReceiver,
  type ServiceName,
  type ServiceProcess,
  services,
  startHouse,
  startPrivatePostgres,
  startPrivateRedis,
  type WebhookReceiver,
} from '@mailproof/dev-house';
import { type MailLab, startMailLab } from '@mailproof/mail-lab';
import { type Addresses, makeAddresses } from './lists.ts';
import { openServiceProxy, openTcpProxy, portOf, type ServiceProxy, type TcpProxy } from './tcp-proxy.ts';

/** A complete, separate Mailproof with everything that a fault can break, and customers who use it. */
export interface Ground {
  readonly house: House;
  readonly postgres: KillableServer;
  readonly redis: KillableServer;
  readonly receiver: WebhookReceiver;
  readonly lab: MailLab;
  readonly addresses: Addresses;
  /** Proxies in front of each service and both databases; every connection goes through them. */
  readonly proxies: Proxies;
  /**
   * The customers: one validates single addresses, one uses tools, and one sends lists, so that their charges can be
   * distinguished.
   */
  readonly customers: Readonly<Record<'singles' | 'tools' | 'lists', Customer>>;
  service(name: string): ServiceProcess;
  /** Returns the processes of a service. */
  replicasOf(name: ServiceName): ServiceProcess[];
  /** Returns the URL at which customers reach a service. */
  urlOf(name: ServiceName): string;
  stop(): Promise<void>;
}

export type ProxiedName = ServiceName | 'postgres' | 'redis';
type Proxies = Readonly<Record<ServiceName, ServiceProxy> & Record<'postgres' | 'redis', TcpProxy>>;

export interface GroundOptions {
  /** The number of replicas of each service. */
  readonly replicas: number;
  readonly addresses: number;
  /** Environment variables in addition to those that the ground sets. */
  readonly env?: Partial<Record<ServiceName, Environment>>;
  readonly signal: AbortSignal;
}

const credits = 1_000_000;
const requestsPerSecond = 10_000;
export const serviceNames = services.map(({ name }) => name);

/** Starts everything. If a part fails to start, everything already started is stopped. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const stops: (() => Promise<unknown>)[] = [];
  async function stop(): Promise<void> {
    for (const each of stops.splice(0).reverse()) await each();
  }
  function keep<Part>(part: Part, end: (part: Part) => Promise<unknown>): Part {
    stops.push(() => end(part));
    return part;
  }
  try {
    const stateDir = keep(await mkdtemp(join(tmpdir(), 'mailproof-reliability-')), path =>
      rm(path, { recursive: true, force: true }),
    );
    const openStoreProxy = async () => keep(await openTcpProxy(), proxy => proxy.close());
    const proxies = { postgres: await openStoreProxy(), redis: await openStoreProxy() } as Proxies;
    for (const service of services) {
      const proxy = await openServiceProxy('publicUrlSetting' in service);
      Object.assign(proxies, { [service.name]: keep(proxy, each => each.close()) });
    }
    const addresses = makeAddresses(options.addresses);
    const lab = keep(await startMailLab({ catalog: addresses.catalog }), each => each.close());
    const receiver = keep(await openWebhookReceiver(), each => each.close());
    const postgres = keep(await startPrivatePostgres(), server => server.stop());
    const redis = keep(await startPrivateRedis(), server => server.stop());
    proxies.postgres.aimAt([portOf(postgres.url)]);
    proxies.redis.aimAt([portOf(redis.url)]);
    const caFile = join(stateDir, 'lab.pem');
    await writeFile(caFile, lab.caCertificatePem);
    const house = keep(
      await startHouse({
        stateDir,
        databaseAdminUrl: through(proxies.postgres, postgres.url),
        redisUrl: through(proxies.redis, redis.url),
        replicas: Object.fromEntries(serviceNames.map(name => [name, options.replicas])),
        lab: false,
        quiet: true,
        signal: options.signal,
        env: environmentsOf(proxies, labEnvironment(lab, caFile), options.env ?? {}),
      }),
      each => each.stop(),
    );
    const service = (name: string): ServiceProcess => {
      const found = house.services[name];
      if (!found) throw new Error(`There is no service ${name}.`);
      return found;
    };
    const replicasOf = (name: ServiceName) =>
      Object.values(house.services).filter(each => each.name.replace(/-\d+$/, '') === name);
    for (const name of serviceNames) proxies[name].aimAt(replicasOf(name));
    const [singles, tools, lists] = await Promise.all(
      Array.from({ length: 3 }, () => createCustomer(house, { plan: 'custom', credits, requestsPerSecond })),
    );
    return {
      ...{ house, postgres, redis, receiver, lab, addresses, proxies, service, replicasOf, stop },
      customers: { singles, tools, lists } as Ground['customers'],
      urlOf: name => proxies[name].url,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Services and clients only know the addresses of the proxies. */
function environmentsOf(
  proxies: Proxies,
  lab: Environment,
  wanted: Partial<Record<ServiceName, Environment>>,
): Partial<Record<ServiceName, Environment>> {
  // Logs are written as in production.
  const everybody = { LOG_LEVEL: 'info' };
  const publicUrls = {
    PUBLIC_BASE_URL: proxies.gateway.url,
    MCP_PUBLIC_BASE_URL: proxies['mcp-server'].url,
  };
  const own: Partial<Record<ServiceName, Environment>> = {
    gateway: {
      // Raised because all customers come from one address.
      VISITOR_REQUESTS_PER_MINUTE_MAX: '100000',
      SESSION_REQUESTS_PER_SECOND_MAX: '1000',
      // Short, so that clients do not wait long for work that a killed process started.
      VALIDATION_DEADLINE_MS: '8000',
    },
    'validation-engine': {
      ...lab,
      VALIDATION_STANDING_CHECK_HOURS: '0',
      VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
    },
    'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
  };
  return Object.fromEntries(
    services.map(({ name, peers }) => [
      name,
      {
        ...everybody,
        ...publicUrls,
        ...settingsOf(peers, peer => proxies[peer].internalUrl),
        ...own[name],
        ...wanted[name],
      },
    ]),
  );
}

function through({ port }: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}

function settingsOf(
  peers: Readonly<Record<string, ServiceName>>,
  urlOf: (peer: ServiceName) => string,
): Environment {
  return Object.fromEntries(Object.entries(peers).map(([setting, peer]) => [setting, urlOf(peer)]));
}
