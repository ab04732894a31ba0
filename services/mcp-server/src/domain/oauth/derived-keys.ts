import { hkdfSync } from 'node:crypto';

/** What keys made from the sealing ring are for; each is of no use for anything else. */
const uses = {
  /** Signs the cookies of sign-ins under way. */
  cookies: 'mailproof oauth cookies',
  /** Signs what forms carry. */
  forms: 'mailproof oauth forms',
  /** Signs the state of questions that travels through clients. */
  questions: 'mailproof tool questions',
} as const;

/** Derives a key from each of a ring (HKDF, RFC 5869), in its order. All replicas have the same. */
export function deriveKeys(
  ring: readonly { readonly key: Uint8Array }[],
  use: keyof typeof uses,
): readonly Buffer[] {
  return ring.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', uses[use], 32)));
}
