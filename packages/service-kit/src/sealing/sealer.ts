import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

/** One key-encryption key of the ring. */
export interface RingKey {
  readonly kid: string;
  readonly key: Uint8Array;
}

/** The ring: the first key seals, all of them open. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** Seals texts of one type, each for one subject. */
export interface Sealer {
  /** The key-encryption key that seals; the others of the ring only open. */
  readonly currentKid: string;
  seal(text: string, subject: string): Promise<string>;
  /** Opens what was sealed for this subject. Throws `SealFault`. */
  open(sealed: string, subject: string): Promise<string>;
  /**
   * Seals anew what another key of the ring sealed for this subject. Nothing for what the current key sealed, and for
   * what no key opens.
   */
  reseal(sealed: string, subject: string): Promise<string | undefined>;
}

/** Something sealed that cannot be opened, or must not be believed. The message holds no part of it. */
export class SealFault extends Error {
  override readonly name = 'SealFault';
  /** `unknown_kid`: its key-encryption key is not in the ring. `not_authentic`: changed, or of another subject or type. */
  readonly kind: 'unknown_kid' | 'not_authentic';

  constructor(kind: SealFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const algorithms = { alg: 'A256GCMKW', enc: 'A256GCM' } as const;

/**
 * Seals as compact JWE (RFC 7516). Subject and type stand in the protected header, which is authenticated along with the
 * content, so that what was moved to another place is found out. The header can be read by everybody: no secret may be a
 * subject.
 */
export function createSealer(ring: KeyRing, type: string): Sealer {
  const keys = new Map(ring.map(({ kid, key }) => [kid, key]));
  const [current] = ring;

  async function seal(text: string, subject: string): Promise<string> {
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader({ ...algorithms, kid: current.kid, typ: type, sub: subject })
      .encrypt(current.key);
  }

  async function open(sealed: string, subject: string): Promise<string> {
    const key = keys.get(kidOf(sealed) ?? '');
    if (!key) {
      throw new SealFault('unknown_kid', `No key of the ring opens the ${type} of ${subject}.`);
    }
    const { plaintext, protectedHeader } = await decrypt(sealed, key, `${type} of ${subject}`);
    if (protectedHeader.typ !== type || protectedHeader['sub'] !== subject) {
      throw new SealFault('not_authentic', `The ${type} of ${subject} was made for something else.`);
    }
    return new TextDecoder().decode(plaintext);
  }

  return {
    currentKid: current.kid,
    seal,
    open,
    async reseal(sealed, subject) {
      if (kidOf(sealed) === current.kid) {
        return;
      }
      const text = await open(sealed, subject).catch(() => undefined);
      return text === undefined ? undefined : seal(text, subject);
    },
  };
}

async function decrypt(sealed: string, key: Uint8Array, what: string) {
  try {
    return await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: [algorithms.alg],
      contentEncryptionAlgorithms: [algorithms.enc],
    });
  } catch (cause) {
    throw new SealFault('not_authentic', `The ${what} was changed.`, { cause });
  }
}

function kidOf(sealed: string): string | undefined {
  try {
    return decodeProtectedHeader(sealed).kid;
  } catch {
    return undefined;
  }
}
