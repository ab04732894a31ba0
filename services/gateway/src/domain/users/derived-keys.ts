import { hkdfSync } from 'node:crypto';

/** What keys made from the service's own key are for; each is of no use for anything else. */
const uses = {
  /** Signs one-time links. */
  links: 'mailproof one-time links',
  /** Signs the cookies of devices. */
  devices: 'mailproof known devices',
  /** Hides addresses in the names of counters. */
  subjects: 'mailproof counted subjects',
  /** Names numbers of rows for customers. */
  numbers: 'mailproof row numbers',
} as const;

export type DerivedKeys = Readonly<Record<keyof typeof uses, Buffer>>;

/** Derives keys from the private part of the service's signing key (HKDF, RFC 5869). All replicas have the same. */
export function deriveKeys(privatePart: string): DerivedKeys {
  const secret = Buffer.from(privatePart, 'base64url');
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  return {
    links: derive(uses.links),
    devices: derive(uses.devices),
    subjects: derive(uses.subjects),
    numbers: derive(uses.numbers),
  };
}
