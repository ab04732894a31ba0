import { Resolver } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';

export interface NameServer {
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
}

const portDefault = 53;

/** The given servers, or the machine's own, read anew each time, since a machine moves from network to network. */
export function nameServers(given: readonly string[] | undefined): () => readonly NameServer[] {
  const fixed = given?.map(readNameServer);
  // Node reads /etc/resolv.conf, or what the system has in its place, for every new resolver.
  return () => fixed ?? new Resolver().getServers().map(readNameServer);
}

/** Reads `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` and `[2001:db8::53]:5353`; all of them are known to be valid. */
export function readNameServer(text: string): NameServer {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const address = isIP(text) === 0 ? (bracketed ?? plain ?? text) : text;
  return {
    address,
    port: isIP(text) === 0 && port !== undefined ? Number(port) : portDefault,
    family: isIPv6(address) ? 6 : 4,
  };
}
