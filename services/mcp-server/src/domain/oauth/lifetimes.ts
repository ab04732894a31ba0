/** How long what the authorization server hands out is good for, in seconds. Access tokens: `accessTokenSeconds`. */
export const lifetimes = {
  /** From the first page to the answer that goes back to the client. */
  signInSeconds: 1_800,
  authorizationCodeSeconds: 60,
  pushedRequestSeconds: 60,
  /** An assistant that is not used for so long ends: each refresh token is good for this time. */
  refreshTokenSeconds: 90 * 86_400,
  /** However busy it is, an assistant is connected anew after this time: no later refresh token is good for longer. */
  connectionSeconds: 365 * 86_400,
  /** Time that an assistant has to fetch its first refresh token, code and clock differences included. */
  firstExchangeSeconds: 900,
  /** A refresh token that was used is remembered for so long, so that a second use is known for one. */
  usedTokenSeconds: 7 * 86_400,
  /** A client that was never connected is forgotten so long after it registered or its sign-in page was last opened. */
  unusedClientSeconds: 86_400,
  /** A client that has no assistant any more; programs keep their client id, and stop working when it is forgotten. */
  formerClientSeconds: 90 * 86_400,
  /** A new signing key is published for so long before it signs, so that everybody knows it by then. */
  signingKeyAheadSeconds: 300,
  /** A signing key stays published for so long after its last token is over, for clocks that differ. */
  signingKeyAfterSeconds: 300,
} as const;
