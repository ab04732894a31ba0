import type { Server } from 'node:net';
import { type Catalog, isWebScript } from './script.ts';

/** The addresses of a lab's hosts, one each, in the lab's own block. */
export type AddressPlan = {
  readonly range: string;
  /** The name server's address, which also claims the block for this lab. */
  readonly dnsAddress: string;
  readonly addresses: ReadonlyMap<string, string>;
};

const hostsPerSubnet = 250;
const hostsMax = 250 * hostsPerSubnet;

/** Blocks to try in order if none is requested. Low blocks are left for other programs on loopback. */
export const automaticBlocks: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `127.${index + 20}.0.0/16`,
);

/**
 * Assigns an address to every host and site of a catalog, in catalog order, so that the same catalog in the same block
 * always has the same addresses.
 *
 * @throws RangeError if the block is neither 127.x.0.0/16 nor 10.x.0.0/16, or cannot hold all hosts
 */
export function planAddresses(catalog: Catalog, block: string): AddressPlan {
  const prefix = /^((?:127|10)\.\d{1,3})\.0\.0\/16$/.exec(block)?.[1];
  if (prefix === undefined) throw new RangeError(`An address block looks like 127.42.0.0/16, not ${block}.`);
  const names = new Set<string>();
  for (const { hosts, web } of catalog) {
    for (const [name, host] of Object.entries(hosts ?? {})) {
      const needsAddress =
        host === 'no_listener' || host === 'black_hole' || (typeof host === 'object' && !('address' in host));
      if (needsAddress) names.add(name);
    }
    for (const [name, host] of Object.entries(web ?? {})) if (isWebScript(host)) names.add(name);
  }
  if (names.size > hostsMax) throw new RangeError(`A block holds ${hostsMax} hosts, not ${names.size}.`);
  const addresses = new Map(
    [...names].map((name, index) => [
      name,
      `${prefix}.${1 + Math.floor(index / hostsPerSubnet)}.${1 + (index % hostsPerSubnet)}`,
    ]),
  );
  return { range: block, dnsAddress: `${prefix}.0.1`, addresses };
}

/**
 * Binds a server and waits until it listens.
 *
 * @returns the port; the system chooses one if `port` is 0
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`)
 */
export async function listen(server: Server, address: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

/** Stops listening. The caller must end the connections, because the server waits for them. */
export function closeListener(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
