import { createHash } from 'node:crypto';

/** A refresh token that was replaced, as far as its overlap with its successor depends on it (ADR 0058). */
export interface ReplacedToken {
  readonly replacedAt: Date;
  /** When the client first used the successor, or an access token that came with it. */
  readonly successorReceivedAt: Date | undefined;
  readonly isSuccessorReplaced: boolean;
}

/**
 * Seconds for which a request of a client may be on its way. Clients send one refresh for each request that was refused,
 * so several are under way at once: one of them may arrive after another was answered and its access token used.
 */
const inFlightSeconds = 10;

/**
 * Whether a refresh token that was replaced still gets the same successor. `overlapSeconds` 0 means never.
 *
 * While nothing shows that the client has the successor, its answer may be lost, and the whole overlap is open. Once
 * something does, only requests that were under way at that moment are honest.
 */
export function isInOverlap(replaced: ReplacedToken, overlapSeconds: number, now: Date): boolean {
  if (overlapSeconds === 0 || replaced.isSuccessorReplaced) {
    return false;
  }
  const { replacedAt, successorReceivedAt } = replaced;
  return (
    secondsBetween(replacedAt, now) < overlapSeconds &&
    (successorReceivedAt === undefined || secondsBetween(successorReceivedAt, now) < inFlightSeconds)
  );
}

/**
 * Whether a refresh token is too new to be replaced. Among requests that are under way at once, some bring the token that
 * another of them was just given. If that one were replaced too, the client could keep either, and lose its connection
 * when it kept the wrong one.
 */
export function isTooNewToReplace(issuedAt: Date | undefined, overlapSeconds: number, now: Date): boolean {
  if (overlapSeconds === 0 || issuedAt === undefined) {
    return false;
  }
  return secondsBetween(issuedAt, now) < Math.min(inFlightSeconds, overlapSeconds);
}

/** What a refresh token is known by: in the store, and in the access tokens that come with it. */
export function refreshTokenSha256(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1_000;
}
