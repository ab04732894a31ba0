import { randomInt } from 'node:crypto';
import { type ServiceDefinition, type ServiceName, serviceDefinitions } from '@mailproof/installation';
import getPort from 'get-port';
import type { ServiceUrls } from './service-environment.ts';

/** A process of a service, which may have several. */
export interface Instance extends ServiceUrls {
  readonly service: ServiceDefinition;
  /** Distinguishes instances of one service: `gateway`, `gateway-2`. */
  readonly name: string;
}

/** Options for assigning ports: each process gets one, or two if the service has a public side. */
export interface InstanceOptions {
  /** How many instances of a service share the work; one by default. */
  readonly replicas?: Partial<Record<ServiceName, number>>;
  /** The preferred `PORT` of a service's first instance; any free port if omitted. */
  readonly preferredPorts?: Partial<Record<ServiceName, number>>;
  /** Receives sentences about progress, problems, and processes that end unexpectedly. */
  readonly report?: (sentence: string) => void;
}

export async function assignPorts({
  replicas,
  preferredPorts,
  report,
}: InstanceOptions): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (const service of serviceDefinitions) {
    const known = service.name as ServiceName;
    for (let number = 1; number <= (replicas?.[known] ?? 1); number += 1) {
      const wish = number === 1 ? preferredPorts?.[known] : undefined;
      const port = wish ? await portNear(wish) : await freePort();
      if (wish && port !== wish)
        report?.(`Port ${wish} is in use; the ${service.name} listens on ${port} instead.`);
      const name = number === 1 ? service.name : `${service.name}-${number}`;
      const url = urlAt(port);
      const internalUrl = service.publicUrlSetting ? urlAt(await freePort()) : url;
      instances.push({ service, name, url, internalUrl });
    }
  }
  return instances;
}

function urlAt(port: number): string {
  return `http://127.0.0.1:${port}`;
}

const attemptsMax = 20;

const portsFrom = 20_000;
/** Ports of one worker of Jest. Another worker would take the port of a service that a test has killed and restarts. */
const portsPerWorker = 1_500;
const portSlices = 8;

/**
 * Returns a free port on loopback, below the ephemeral range: an outgoing connection could take an ephemeral port
 * before a server binds it.
 */
export async function freePort(): Promise<number> {
  const slice = Number(process.env['JEST_WORKER_ID'] ?? 0) % portSlices;
  const from = portsFrom + slice * portsPerWorker;
  const candidates = Array.from({ length: attemptsMax }, () => randomInt(from, from + portsPerWorker));
  return getPort({ host: '127.0.0.1', port: candidates });
}

/** Returns the preferred port, the next free one of the nine above it, or any free one. */
export async function portNear(preferred: number): Promise<number> {
  const candidates = Array.from({ length: 10 }, (_, step) => preferred + step).filter(port => port <= 65_535);
  return getPort({ host: '127.0.0.1', port: candidates });
}
