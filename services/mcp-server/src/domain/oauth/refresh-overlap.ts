import { createHash } from 'node:crypto';

/** A refresh token that was replaced, as far as its overlap with its successor depends on it (ADR 0058). */
export interface ReplacedToken {
  readonly replacedAt: Date;
  /** When the client first used the successor, or an access token that came with it. */
  readonly successorReceivedAt: Date | undefined;
  readonly successorReplacedAt: Date | undefined;
}

/**
 * Seconds for which a request of a client may be on its way. Clients send one refresh for each request that was refused,
 * so several are under way at once: one of them may arrive after another was answered and its access token used.
 */
const inFlightSeconds = 10;

/** A refresh: when its request arrived, and when the lock was held in which it is decided. */
export interface RefreshTimes {
  readonly arrivedAt: Date;
  readonly now: Date;
}

/**
 * Whether a refresh token that was replaced still gets the same successor. `overlapSeconds` 0 means never.
 *
 * While nothing shows that the client has the successor, its answer may be lost, and the whole overlap is open. Once an
 * access token shows it, requests that were under way at that moment may arrive for some seconds. Once the successor was
 * used for a refresh, only requests that had arrived before that are honest.
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
 * Whether a refresh token is kept instead of replaced, because its client has several refreshes under way: it was given
 * twice a moment ago. Some of the others bring the same token. If that were replaced too, the client could keep either
 * one, and lose its connection when it kept the wrong one.
 */
export function isKept(givenAgainAt: Date | undefined, overlapSeconds: number, now: Date): boolean {
  if (overlapSeconds === 0 || givenAgainAt === undefined) {
    return false;
  }
  return secondsBetween(givenAgainAt, now) < Math.min(inFlightSeconds, overlapSeconds);
}

/** What a refresh token is known by: in the store, and in the access tokens that come with it. */
export function refreshTokenSha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1_000;
}
