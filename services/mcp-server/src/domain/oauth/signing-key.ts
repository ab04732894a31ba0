import { accessTokenSeconds } from '../access-token.ts';
import { lifetimes } from './lifetimes.ts';

/** A public key as a JWK (RFC 7517): a point on the curve P-256. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** The same key with its private part. */
export interface PrivateJwk extends PublicJwk {
  readonly d: string;
}

/** A key that signs access tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly createdAt: Date;
  /** The key is published when it is created, and signs from this time until another key does. */
  readonly signsFrom: Date;
}

/** Stores signing keys. */
export interface SigningKeyStore {
  list(): Promise<readonly SigningKey[]>;
  privateJwk(kid: string): Promise<PrivateJwk>;
  /**
   * Creates the first key unless there is one; replicas that start together create one. Returns whether it created one.
   */
  makeFirst(now: Date): Promise<boolean>;
  make(now: Date, signsFrom: Date): Promise<SigningKey>;
  /** Removes keys, whose tokens are then no longer accepted. Returns how many there were. */
  remove(kids: readonly string[]): Promise<number>;
}

/**
 * The key that signs now: the newest one whose `signsFrom` has passed. If there is none, the next key signs, because
 * another replica with a faster clock may have just created it.
 */
export function currentKey(keys: readonly SigningKey[], now: Date): SigningKey | undefined {
  const inOrder = keys.toSorted((one, other) => one.signsFrom.getTime() - other.signsFrom.getTime());
  return inOrder.findLast(({ signsFrom }) => signsFrom <= now) ?? inOrder[0];
}

/** Keys that no longer sign and whose last token expired long enough ago. */
export function spentKeys(keys: readonly SigningKey[], now: Date): readonly SigningKey[] {
  const keptMs = (accessTokenSeconds + lifetimes.signingKeyAfterSeconds) * 1_000;
  const current = currentKey(keys, now);
  return keys.filter(key => {
    const successor = keys
      .filter(({ signsFrom }) => signsFrom > key.signsFrom)
      .map(({ signsFrom }) => signsFrom.getTime());
    return key !== current && successor.length > 0 && Math.min(...successor) + keptMs < now.getTime();
  });
}

/** How long the keys are cached, in milliseconds. */
const keptMs = 2_000;

interface SigningKeyList {
  /** All published keys. */
  list(): Promise<readonly SigningKey[]>;
  /** The public parts, as a JWK set (RFC 7517 section 5); the same object as long as the keys are cached. */
  published(): Promise<{ keys: PublicJwk[] }>;
  /** Makes the next call reread the keys, because one was created. */
  readAgain(): void;
}

/**
 * Rereads the keys after a few seconds, so that replicas learn of new and retired ones. A failed read and an empty list
 * are not cached: the next call reads again.
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
