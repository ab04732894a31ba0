import { getServers } from 'node:dns';

const dnsPort = 53;

/** The machine's own name servers, each with its port. */
export function systemServers(): string[] {
  return getServers().map(withPort);
}

/** The system's list leaves out the usual port, and then the brackets of an IPv6 address too. */
function withPort(server: string): string {
  if (server.includes(':')) {
    return server.startsWith('[') ? server : `[${server}]:${dnsPort}`;
  }
  return `${server}:${dnsPort}`;
}
