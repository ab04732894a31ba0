import { createHash, randomBytes } from 'node:crypto';
import type { SessionId, UserId } from '@mailproof/shared-types';
import type { Client, SignedIn } from '../accounts/signed-in.ts';

/**
 * The value of a session's cookie: `mp_session_` and 256 random bits. Log filters and scanners recognize the prefix.
 */
export type SessionToken = string & { readonly __sessionToken: unique symbol };

const form = /^mp_session_[0-9a-f]{64}$/;

export function generateSessionToken(): SessionToken {
  return `mp_session_${randomBytes(32).toString('hex')}` as SessionToken;
}

/** Returns the token if it is well-formed, and undefined otherwise. */
export function parseSessionToken(text: string | undefined): SessionToken | undefined {
  return text !== undefined && form.test(text) ? (text as SessionToken) : undefined;
}

/** The hash that is stored in place of a token. */
export function hashSessionToken(token: SessionToken): Buffer {
  return createHash('sha256').update(token).digest();
}

/** How long sessions last. */
export interface SessionLifetime {
  /** Time after the last request, in milliseconds. */
  readonly idleMs: number;
  /** Time after the start of the session, in milliseconds. */
  readonly absoluteMs: number;
}

/** An open session in the user's list. */
export interface ListedSession {
  readonly sessionId: SessionId;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly userAgent: string;
}

/** Stores sessions. An ended session is refused on the next request at every replica: nothing is cached. */
export interface SessionStore {
  /**
   * Starts a session. Ends the user's oldest sessions if there are too many. Returns undefined if the user is gone or
   * the password no longer has this hash: otherwise, a session started with an old password would outlive its change.
   */
  open(session: {
    userId: UserId;
    token: SessionToken;
    userAgent: string;
    now: Date;
    passwordHash?: string | undefined;
  }): Promise<SessionId | undefined>;
  /** Finds the user of a token; updates the session's last use at most once a minute. */
  find(token: SessionToken, now: Date): Promise<SignedIn | undefined>;
  /** The user's open sessions, most recently used first. */
  list(userId: UserId, now: Date): Promise<readonly ListedSession[]>;
  /** Ends a session of the user; returns false if there is no such session. */
  end(userId: UserId, sessionId: SessionId): Promise<boolean>;
  /** Ends the session of a token, if there is one. */
  endByToken(token: SessionToken): Promise<void>;
  /**
   * Ends every session of the user, disconnects everything that the user has connected, and records a security event,
   * all atomically. Returns the number of ended sessions.
   */
  endAll(user: Pick<SignedIn, 'userId' | 'account'>, client: Client, now: Date): Promise<number>;
  /** Deletes expired sessions. */
  sweep(now: Date): Promise<void>;
}
