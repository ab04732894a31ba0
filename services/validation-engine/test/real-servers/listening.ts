import { readFileSync } from 'node:fs';

/** The state LISTEN in the kernel's table. */
const listenState = '0A';

/**
 * Whether somebody listens there, as the kernel tells it. Connecting to find out would be a first visit, which greylists
 * and limits of connections remember.
 */
export function isListening(address: string, port: number): boolean {
  const places = [placeOf(address, port), placeOf('0.0.0.0', port)];
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .some(([, local = '', , state]) => state === listenState && places.includes(local));
}

/** The kernel writes an address as the hexadecimal number that its octets are in memory, the last one first. */
function placeOf(address: string, port: number): string {
  const octets = address.split('.').map(octet => hex(Number(octet), 2));
  return `${octets.reverse().join('')}:${hex(port, 4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
