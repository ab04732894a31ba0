import { createHash, randomBytes } from 'node:crypto';
import type { SessionId, UserId } from '@mailproof/shared-types';
import type { Client, SignedIn } from '../accounts/signed-in.ts';

/** What a session's cookie holds: `mp_session_` and 256 random bits. The prefix lets a log and a scanner know it. */
export type SessionToken = string & { readonly __sessionToken: unique symbol };

const form = /^mp_session_[0-9a-f]{64}$/;

export function generateSessionToken(): SessionToken {
  return `mp_session_${randomBytes(32).toString('hex')}` as SessionToken;
}

/** Answers the token if it is well-formed, and nothing otherwise. */
export function parseSessionToken(text: string | undefined): SessionToken | undefined {
  return text !== undefined && form.test(text) ? (text as SessionToken) : undefined;
}

/** What is stored in place of a token. */
export function hashSessionToken(token: SessionToken): Buffer {
  return createHash('sha256').update(token).digest();
}

/** How long sessions last. */
export interface SessionLifetime {
  /** After its last request, in milliseconds. */
  readonly idleMs: number;
  /** After it began, in milliseconds. */
  readonly absoluteMs: number;
}

/** An open session, as its user sees it in a list. */
export interface ListedSession {
  readonly sessionId: SessionId;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly userAgent: string;
}

/** Where sessions are kept. An ended one is refused on the next request, at every replica: nothing is cached. */
export interface SessionStore {
  /**
   * Begins a session. The oldest ones end when the user has too many. Answers nothing when the user has gone, or has
   * another password than the one with this hash by now: a session begun with an old password would outlive its change.
   */
  open(session: {
    userId: UserId;
    token: SessionToken;
    userAgent: string;
    now: Date;
    passwordHash?: string | undefined;
  }): Promise<SessionId | undefined>;
  /** Who has signed in with a token; notes, once a minute at most, that the session is in use. */
  find(token: SessionToken, now: Date): Promise<SignedIn | undefined>;
  /** The user's open sessions, the one used last first. */
  list(userId: UserId, now: Date): Promise<readonly ListedSession[]>;
  /** Ends a session of the user; false when there is no such session. */
  end(userId: UserId, sessionId: SessionId): Promise<boolean>;
  /** Ends the session of a token, if there is one. */
  endByToken(token: SessionToken): Promise<void>;
  /**
   * Ends every session of the user with everything that the user has connected, writes it down as a security event, all
   * of it or nothing, and answers how many sessions there were.
   */
  endAll(user: Pick<SignedIn, 'userId' | 'account'>, client: Client, now: Date): Promise<number>;
  /** Deletes what has expired. */
  sweep(now: Date): Promise<void>;
}
