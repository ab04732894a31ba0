import { hkdfSync } from 'node:crypto';

/** Lifetimes in the authorization server, in seconds. For access tokens, see `accessTokenSeconds`. */
export const lifetimes = {
  /** From the first page to the response to the client. */
  signInSeconds: 1_800,
  authorizationCodeSeconds: 60,
  pushedRequestSeconds: 60,
  /** The lifetime of each refresh token. An assistant that is not used for this long ends. */
  refreshTokenSeconds: 90 * 86_400,
  /** Even a busy assistant must be reconnected after this time: no refresh token is valid beyond it. */
  connectionSeconds: 365 * 86_400,
  /** How long an assistant has to fetch its first refresh token, including the code's lifetime and clock skew. */
  firstExchangeSeconds: 900,
  /** How long a used refresh token is remembered, so that a second use is recognized. */
  usedTokenSeconds: 7 * 86_400,
  /** How long a client that was never connected is kept after it registered or its sign-in page was last opened. */
  unusedClientSeconds: 86_400,
  /**
   * How long a client without an assistant is kept. Programs keep their client id, and stop working once it is deleted.
   */
  formerClientSeconds: 90 * 86_400,
  /** How long a new signing key is published before it signs, so that every client knows it by then. */
  signingKeyAheadSeconds: 300,
  /** How long a signing key stays published after its last token has expired, to allow for clock skew. */
  signingKeyAfterSeconds: 300,
} as const;

/** The purposes of keys derived from the sealing ring; a key serves one purpose only. */
const uses = {
  /** Signs the cookies of pending sign-ins. */
  cookies: 'mailproof oauth cookies',
  /** Signs the tokens in forms. */
  forms: 'mailproof oauth forms',
  /** Signs the state of questions, which clients carry. */
  questions: 'mailproof tool questions',
  /** Makes the idempotency keys of calls that can be repeated. */
  repeats: 'mailproof tool repeats',
} as const;

/** Derives a key from each key of a ring (HKDF, RFC 5869), in the same order. All replicas derive the same keys. */
export function deriveKeys(
  ring: readonly { readonly key: Uint8Array }[],
  use: keyof typeof uses,
): readonly Buffer[] {
  return ring.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', uses[use], 32)));
}
