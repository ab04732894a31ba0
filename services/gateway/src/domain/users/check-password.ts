import { createHmac } from 'node:crypto';
import type { RateDecision, RateLimiter } from '@mailproof/shared-types';
import { AccountDeleted } from '../accounts/account.ts';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { SecurityEvent } from './security-event.ts';
import type { PasswordHasher, User, UserStore } from './user.ts';

/** An attempt to prove one's identity with a password. */
export interface PasswordAttempt {
  readonly email: string;
  readonly password: string;
  readonly client: Client;
  /** A device or session that this user has signed in with before; its failures are counted apart from strangers'. */
  readonly knownDevice?: string | undefined;
  /** Set when a signed-in user proves their identity again: the address must still be theirs. */
  readonly signedIn?: SignedIn;
  /** Distinguishes attempts. */
  readonly requestId: string;
  readonly now: Date;
}

export type PasswordVerdict =
  /** `passwordHash` is the hash that matched: the verdict is valid only while it is still the user's. */
  | { readonly kind: 'accepted'; readonly user: User; readonly passwordHash: string }
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

/** A count of wrong passwords has reached its limit. */
export interface LockOut {
  readonly retryInMs: number;
  /** The count that reached its limit: a new password resets the count of the user, not that of a network. */
  readonly count: 'user' | 'network';
}

/** The attempt of a signed-in user who proves their identity again. */
export function confirmingAttempt(
  request: { readonly signedIn: SignedIn; readonly client: Client; readonly requestId: string },
  password: string,
  now: Date,
): PasswordAttempt {
  const { signedIn, client, requestId } = request;
  const { email, sessionId } = signedIn;
  return { email, password, client, knownDevice: sessionId, signedIn, requestId, now };
}

/**
 * Checks a password. Every way to sign in uses this function and its one count of failures.
 *
 * @throws AccountDeleted if the signed-in user has since been deleted
 */
export type PasswordCheck = (attempt: PasswordAttempt) => Promise<PasswordVerdict>;

export interface PasswordCheckOptions {
  readonly users: Pick<UserStore, 'findByEmail'>;
  readonly passwords: PasswordHasher;
  readonly rateLimiter: RateLimiter;
  readonly record: (event: SecurityEvent) => Promise<void>;
  /** The HMAC key for the names of counters: Redis must hold no address. */
  readonly subjectKey: Buffer;
  readonly failuresPerUserMax: number;
  readonly failuresPerNetworkMax: number;
}

export const userWindowMs = 15 * 60_000;
export const networkWindowMs = 60 * 60_000;

/**
 * Counts an attempt before it checks the password, and uncounts it if the password was right, so concurrent attempts
 * cannot exceed the limit. An unknown address takes the same time as a wrong password, and is counted and refused in
 * the same way: the answer does not reveal who is a user.
 */
export function createPasswordCheck(options: PasswordCheckOptions): PasswordCheck {
  const { users, passwords, rateLimiter } = options;
  let placeholder: Promise<string> | undefined;

  async function verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    placeholder ??= passwords.hash('no user has this password');
    try {
      const isRight = await passwords.verify(passwordHash ?? (await placeholder), password);
      return isRight && passwordHash !== undefined;
    } catch (error) {
      placeholder = undefined;
      throw error;
    }
  }

  return async attempt => {
    const user = await users.findByEmail(attempt.email);
    if (attempt.signedIn && user?.userId !== attempt.signedIn.userId) {
      throw new AccountDeleted(attempt.signedIn.account.accountId);
    }
    const windows = windowsOf(options, attempt, user?.passwordHash);
    const decisions: RateDecision[] = [];
    for (const { subject, count, limit, windowMs } of windows) {
      const decision = await rateLimiter.admit(subject, attempt.requestId, limit, windowMs);
      if (!decision.admitted) {
        return { kind: 'locked', retryInMs: decision.resetInMs, count };
      }
      decisions.push(decision);
    }
    const uncount = () =>
      Promise.all(windows.map(({ subject }) => rateLimiter.uncount(subject, attempt.requestId)));
    let isRight: boolean;
    try {
      isRight = await verify(user?.passwordHash, attempt.password);
    } catch (error) {
      // The attempt revealed nothing about the password.
      await uncount();
      throw error;
    }
    if (user && isRight) {
      await uncount();
      const { passwordHash, ...known } = user;
      return { kind: 'accepted', user: known, passwordHash };
    }
    if (user) {
      await recordFailure(options, attempt, user, decisions.at(-1)?.remaining === 0);
    }
    return { kind: 'refused' };
  };
}

interface FailureWindow {
  readonly subject: string;
  readonly count: LockOut['count'];
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * The windows that an attempt counts in: first that of its network, which is wider, then that of the user. A known
 * device of a user shares no count with strangers or with other users. So no one else can fill it: neither a stranger
 * who tries this user's password, nor another user with devices in the same network. The count of a device belongs to
 * the user's current password, so a new password resets it.
 */
function windowsOf(
  { subjectKey, failuresPerUserMax, failuresPerNetworkMax }: PasswordCheckOptions,
  { email, knownDevice, client }: PasswordAttempt,
  passwordHash: string | undefined,
): readonly FailureWindow[] {
  const ofNetwork = { count: 'network', limit: failuresPerNetworkMax, windowMs: networkWindowMs } as const;
  const ofUser = { count: 'user', limit: failuresPerUserMax, windowMs: userWindowMs } as const;
  if (knownDevice !== undefined) {
    const password = createHmac('sha256', subjectKey).update(`password:${passwordHash ?? ''}`);
    const subject = `sign-in-device:${knownDevice}:${password.digest('base64url').slice(0, 22)}`;
    return [
      {
        ...ofNetwork,
        subject: `sign-in-device-network:${client.network}:${maskSubject(subjectKey, 'user', email)}`,
      },
      { ...ofUser, subject },
    ];
  }
  return [
    { ...ofNetwork, subject: `sign-in-network:${client.network}` },
    { ...ofUser, subject: userSubject(subjectKey, email) },
  ];
}

/** Resets the count of a user's wrong passwords from unknown devices. */
export async function forgetFailures(
  { rateLimiter, subjectKey }: Pick<PasswordCheckOptions, 'rateLimiter' | 'subjectKey'>,
  email: string,
): Promise<void> {
  await rateLimiter.forget(userSubject(subjectKey, email));
}

function userSubject(key: Buffer, email: string): string {
  return `sign-in:${maskSubject(key, 'user', email)}`;
}

/**
 * A name for an address in Redis that reveals nothing without the key. Every spelling that Postgres treats as the same
 * user must have the same name, or each would have its own count. Upper case merges the two small sigmas, between which
 * `toLowerCase` chooses by what follows. The dot that it leaves of a capital İ is dropped, as Postgres maps İ to a
 * plain i.
 */
export function maskSubject(key: Buffer, use: 'user' | 'mail', email: string): string {
  const folded = email.toUpperCase().toLowerCase().replaceAll('\u0307', '');
  return createHmac('sha256', key).update(`${use}:${folded}`).digest('base64url').slice(0, 22);
}

async function recordFailure(
  { record }: PasswordCheckOptions,
  { client, now }: PasswordAttempt,
  { accountId, userId }: User,
  isLocked: boolean,
): Promise<void> {
  await record({ accountId, userId, kind: 'sign_in_failed', at: now, client });
  if (isLocked) {
    await record({ accountId, userId, kind: 'signing_in_locked', at: now, client });
  }
}
