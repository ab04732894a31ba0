import { accessTokenSeconds } from '../access-token.ts';
import { lifetimes } from './lifetimes.ts';

/** A public key as a JWK (RFC 7517): a point of the curve P-256. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly alg: 'ES256';
  readonly use: 'sig';
}

/** The same with its secret part. */
export interface PrivateJwk extends PublicJwk {
  readonly d: string;
}

/** A key that signs access tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly createdAt: Date;
  /** It is published from its making on and signs from here on, until another one does. */
  readonly signsFrom: Date;
}

/** Where signing keys are kept. */
export interface SigningKeyStore {
  list(): Promise<readonly SigningKey[]>;
  privateJwk(kid: string): Promise<PrivateJwk>;
  /** Makes the first key, unless there is one; replicas that start together make one. Answers whether it made one. */
  makeFirst(now: Date): Promise<boolean>;
  make(now: Date, signsFrom: Date): Promise<SigningKey>;
  /** Takes keys away; their tokens are not believed any more. Answers how many there were. */
  remove(kids: readonly string[]): Promise<number>;
}

/**
 * The key that signs now: the newest one that may sign already. If there is none, the next one signs, because another
 * replica with a faster clock may have made it just now.
 */
export function currentKey(keys: readonly SigningKey[], now: Date): SigningKey | undefined {
  const inOrder = keys.toSorted((one, other) => one.signsFrom.getTime() - other.signsFrom.getTime());
  return inOrder.findLast(({ signsFrom }) => signsFrom <= now) ?? inOrder[0];
}

/** Keys that signed once and whose last token has been over for a while. */
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
