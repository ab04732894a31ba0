import { type ServiceDefinition, type ServiceName, serviceDefinitions } from '@mailproof/installation';
import { freePort, portNear } from './free-port.ts';
import type { HouseOptions } from './house.ts';
import type { ServiceUrls } from './service-environment.ts';

/** One of perhaps several processes of a service. */
export interface Instance extends ServiceUrls {
  readonly service: ServiceDefinition;
  /** Tells several of the same kind apart: `gateway`, `gateway-2`. */
  readonly name: string;
}

/** Gives each process its ports: one, or two where the service has a public side. */
export async function assignPorts({
  replicas,
  preferredPorts,
  report,
}: Pick<HouseOptions, 'preferredPorts' | 'replicas' | 'report'>): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (const service of serviceDefinitions) {
    const known = service.name as ServiceName;
    for (let number = 1; number <= (replicas?.[known] ?? 1); number += 1) {
      const wish = number === 1 ? preferredPorts?.[known] : undefined;
      const port = wish ? await portNear(wish) : await freePort();
      if (wish && port !== wish)
        report?.(`Port ${wish} is taken; the ${service.name} listens on ${port} instead.`);
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
