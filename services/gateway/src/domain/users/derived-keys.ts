import { hkdfSync } from 'node:crypto';

/** The uses of the keys derived from the service's own key; each key serves one use only. */
const uses = {
  /** Signs one-time links. */
  links: 'mailproof one-time links',
  /** Signs the cookies of devices. */
  devices: 'mailproof known devices',
  /** Masks addresses in the names of counters. */
  subjects: 'mailproof counted subjects',
  /** Signs the URLs that stop notices by mail. */
  notices: 'mailproof notice mail',
  /** Turns row numbers into names for customers. */
  numbers: 'mailproof row numbers',
} as const;

export type DerivedKeys = Readonly<Record<keyof typeof uses, Buffer>>;

/**
 * Derives keys from the private part of the service's signing key (HKDF, RFC 5869). All replicas derive the same keys.
 */
export function deriveKeys(privatePart: string): DerivedKeys {
  const secret = Buffer.from(privatePart, 'base64url');
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  return {
    links: derive(uses.links),
    devices: derive(uses.devices),
    subjects: derive(uses.subjects),
    notices: derive(uses.notices),
    numbers: derive(uses.numbers),
  };
}
