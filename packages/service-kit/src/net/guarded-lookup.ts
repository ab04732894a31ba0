import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

/** A host none of whose addresses may be contacted. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Looks a name up once and connects to the very addresses that were checked, so that no second look-up says otherwise
 * (DNS rebinding). For the `connect` options of undici, `node:net` and `node:tls`. An address in a URL is not looked up:
 * see `assertHostAllowed`.
 */
export function guardedLookup(guard: AddressGuard, lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = [found].flat().flatMap(entry => {
        const guarded = guard(typeof entry === 'string' ? entry : entry.address);
        return guarded.allowed ? [{ address: guarded.address, family: isIP(guarded.address) }] : [];
      });
      const [first] = allowed;
      if (!first) {
        callback(new AddressRefused('The host has no address that may be contacted.'), []);
      } else if (options.all) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}

/** @throws AddressRefused where the host of the URL is an address, however it is written, that may not be contacted */
export function assertHostAllowed(url: URL, guard: AddressGuard): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !guard(host).allowed) {
    throw new AddressRefused('The address may not be contacted.');
  }
}
