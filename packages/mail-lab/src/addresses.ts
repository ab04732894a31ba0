import type { Catalogue } from './script.ts';

/** Where a lab's hosts live: one address each inside a 127.x.0.0/16 block of their own. */
export type AddressPlan = {
  readonly range: string;
  /** The name server's address, which also claims the block for this lab. */
  readonly dnsAddress: string;
  readonly addresses: ReadonlyMap<string, string>;
};

const hostsPerSubnet = 250;
const hostsMax = 250 * hostsPerSubnet;

/** Blocks to try in order when none is asked for; low ones are left to whatever else uses loopback. */
export const automaticBlocks: readonly string[] = Array.from(
  { length: 200 },
  (_, index) => `127.${index + 20}.0.0/16`,
);

/**
 * Gives every host and site of a catalogue its address, in catalogue order, so that the same
 * catalogue in the same block always has the same addresses.
 *
 * @throws RangeError for a block that is not 127.x.0.0/16, or for more hosts than it can hold
 */
export function planAddresses(catalogue: Catalogue, block: string): AddressPlan {
  const prefix = /^(127\.\d{1,3})\.0\.0\/16$/.exec(block)?.[1];
  if (prefix === undefined) throw new RangeError(`An address block looks like 127.42.0.0/16, not ${block}.`);
  const names = new Set<string>();
  for (const { hosts, web } of catalogue) {
    for (const [name, host] of Object.entries(hosts ?? {})) {
      const needsAddress =
        host === 'nobody_listening' ||
        host === 'black_hole' ||
        (typeof host === 'object' && !('address' in host));
      if (needsAddress) names.add(name);
    }
    for (const name of Object.keys(web ?? {})) names.add(name);
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
