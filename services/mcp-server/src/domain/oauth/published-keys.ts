import type { PublicJwk, SigningKey, SigningKeyStore } from './signing-key.ts';

/** A look at the keys is believed for so long, in milliseconds. */
const keptMs = 2_000;

export interface SigningKeyList {
  /** All keys that are published. */
  list(): Promise<readonly SigningKey[]>;
  /** The public parts, as a JWK set (RFC 7517 section 5); the same object as long as the look is believed. */
  published(): Promise<{ keys: PublicJwk[] }>;
  /** Makes the next call read the keys again, because one was made. */
  readAgain(): void;
}

/**
 * Reads the keys again after some seconds, so that replicas learn of a new or a retired one. A failed read and an empty
 * list are not kept: the next call reads again.
 */
export function createSigningKeyList(store: Pick<SigningKeyStore, 'list'>, now: () => Date): SigningKeyList {
  let latest: Look | undefined;

  function look(): Look {
    const atMs = now().getTime();
    if (!latest || Math.abs(atMs - latest.atMs) >= keptMs) {
      const keys = store.list();
      const attempt = { atMs, keys, published: keys.then(publicPartsOf) };
      latest = attempt;
      const forget = () => {
        if (latest === attempt) {
          latest = undefined;
        }
      };
      attempt.published.then(({ keys: found }) => found.length === 0 && forget(), forget);
    }
    return latest;
  }

  return {
    list: () => look().keys,
    published: () => look().published,
    readAgain() {
      latest = undefined;
    },
  };
}

interface Look {
  readonly atMs: number;
  readonly keys: Promise<readonly SigningKey[]>;
  readonly published: Promise<{ keys: PublicJwk[] }>;
}

function publicPartsOf(keys: readonly SigningKey[]): { keys: PublicJwk[] } {
  return { keys: keys.map(({ publicJwk }) => publicJwk) };
}
