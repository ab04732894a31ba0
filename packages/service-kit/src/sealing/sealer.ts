import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactDecrypt } from 'jose/jwe/compact/decrypt';
import { CompactEncrypt } from 'jose/jwe/compact/encrypt';

/** A key-encryption key of the ring. */
export interface RingKey {
  readonly kid: string;
  readonly key: Uint8Array;
}

/** The key ring: the first key seals, and all keys open. */
export type KeyRing = readonly [RingKey, ...RingKey[]];

/** Seals texts of one type, each for one subject. */
export interface Sealer {
  /** The id of the key-encryption key that seals; the ring's other keys only open. */
  readonly currentKid: string;
  seal(text: string, subject: string): Promise<string>;
  /** Opens a text that was sealed for this subject. Throws `SealFault`. */
  open(sealed: string, subject: string): Promise<string>;
  /**
   * Reseals a text that another key of the ring sealed for this subject. Returns undefined if the current key sealed
   * it, or if no key opens it.
   */
  reseal(sealed: string, subject: string): Promise<string | undefined>;
}

/** Thrown for a sealed text that cannot be opened, or must not be trusted. The message contains no part of the text. */
export class SealFault extends Error {
  override readonly name = 'SealFault';
  /**
   * `unknown_kid`: its key-encryption key is not in the ring. `not_authentic`: it was changed, or has another subject
   * or type.
   */
  readonly kind: 'unknown_kid' | 'not_authentic';

  constructor(kind: SealFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Opens a sealed text; undefined if it cannot be opened, because its key is not in the ring or it was modified. */
export async function openIfPossible(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  subject: string,
): Promise<string | undefined> {
  try {
    return await sealer.open(sealed, subject);
  } catch (error) {
    if (error instanceof SealFault) {
      return undefined;
    }
    throw error;
  }
}

const algorithms = { alg: 'A256GCMKW', enc: 'A256GCM' } as const;

/**
 * Creates a sealer that uses compact JWE (RFC 7516). Subject and type are in the protected header, which is
 * authenticated with the content, so a text that was moved elsewhere is detected. The header is readable, so a subject
 * must not be a secret.
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
