import { readFileSync } from 'node:fs';

/** The state LISTEN in the kernel's table. */
const listenState = '0A';

/**
 * Whether a process listens on the port, according to the kernel. A connection would count as a first visit, which
 * greylists and connection limits remember.
 */
export function isListening(address: string, port: number): boolean {
  const sockets = [socketOf(address, port), socketOf('0.0.0.0', port)];
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .some(([, local = '', , state]) => state === listenState && sockets.includes(local));
}

/** The kernel writes an address as a hexadecimal number in memory order, with the last octet first. */
function socketOf(address: string, port: number): string {
  const octets = address.split('.').map(octet => hex(Number(octet), 2));
  return `${octets.reverse().join('')}:${hex(port, 4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
