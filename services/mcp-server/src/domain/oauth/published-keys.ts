import type { PublicJwk, SigningKey, SigningKeyStore } from './signing-key.ts';

/** A look at the keys is believed for so long, in milliseconds. */
const keptMs = 2_000;

export interface SigningKeyList {
  /** All keys that are published. */
  list(): Promise<readonly SigningKey[]>;
  /** The public parts, as a JWK set (RFC 7517 section 5). */
  published(): Promise<{ keys: PublicJwk[] }>;
}

/** Looks at the keys again after some seconds, so that replicas learn of a new or a retired one by themselves. */
export function createSigningKeyList(store: Pick<SigningKeyStore, 'list'>, now: () => Date): SigningKeyList {
  let look: { readonly atMs: number; readonly keys: Promise<readonly SigningKey[]> } | undefined;

  function list(): Promise<readonly SigningKey[]> {
    const atMs = now().getTime();
    if (!look || Math.abs(atMs - look.atMs) >= keptMs) {
      const attempt = { atMs, keys: store.list() };
      look = attempt;
      attempt.keys.catch(() => {
        if (look === attempt) {
          look = undefined;
        }
      });
    }
    return look.keys;
  }

  return {
    list,
    async published() {
      return { keys: (await list()).map(({ publicJwk }) => publicJwk) };
    },
  };
}
