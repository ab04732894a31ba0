import { createHash } from 'node:crypto';

/** The facts that decide whether a replaced refresh token still overlaps with its successor (ADR 0058). */
export interface ReplacedToken {
  readonly replacedAt: Date;
  /** When the client first used the successor, or an access token of the same response. */
  readonly successorReceivedAt: Date | undefined;
  readonly successorReplacedAt: Date | undefined;
}

/**
 * Seconds for which a request can be in flight. Clients send one refresh for each request that gets 401, so several are
 * in flight at the same time: one can arrive after another has completed and its access token was used.
 */
const inFlightSeconds = 10;

/** When the request for a refresh arrived, and when its transaction holds the lock and decides. */
export interface RefreshTimes {
  readonly arrivedAt: Date;
  readonly now: Date;
}

/**
 * Whether a refresh token that was replaced still returns the same successor. `overlapSeconds` 0 means never.
 *
 * Until something shows that the client has the successor, the response may have been lost, and the whole overlap
 * applies. After an access token shows it, requests in flight can still arrive for a few seconds. After the successor
 * was used for a refresh, only requests that arrived before that can be honest.
 */
export function isInOverlap(
  replaced: ReplacedToken,
  overlapSeconds: number,
  { arrivedAt, now }: RefreshTimes,
): boolean {
  const { replacedAt, successorReceivedAt, successorReplacedAt } = replaced;
  if (overlapSeconds === 0 || (successorReplacedAt !== undefined && arrivedAt >= successorReplacedAt)) {
    return false;
  }
  return (
    secondsBetween(replacedAt, now) < overlapSeconds &&
    (successorReceivedAt === undefined || secondsBetween(successorReceivedAt, now) < inFlightSeconds)
  );
}

/**
 * Whether a refresh token is kept instead of replaced. If a token was just returned twice, its client has several
 * refreshes in flight, and more of their responses can carry the same token. If it were replaced too, the client could
 * keep either token, and would lose its connection if it kept the wrong one.
 */
export function isKept(givenAgainAt: Date | undefined, overlapSeconds: number, now: Date): boolean {
  if (overlapSeconds === 0 || givenAgainAt === undefined) {
    return false;
  }
  return secondsBetween(givenAgainAt, now) < Math.min(inFlightSeconds, overlapSeconds);
}

/** Identifies a refresh token in the store, and in the access tokens of the same response. */
export function refreshTokenSha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1_000;
}
