import { createHmac } from 'node:crypto';
import type { RateDecision, RateLimiter } from '@mailproof/shared-types';
import { AccountGone } from '../accounts/account.ts';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { SecurityEvent } from './security-event.ts';
import type { PasswordHasher, User, UserStore } from './user.ts';

/** Somebody says who they are. */
export interface PasswordAttempt {
  readonly email: string;
  readonly password: string;
  readonly client: Client;
  /** A device or session that this user has signed in with before; its failures count apart from strangers'. */
  readonly knownDevice?: string | undefined;
  /** Whoever has signed in already and says it once more: the address has to be theirs still. */
  readonly signedIn?: SignedIn;
  /** Tells attempts apart. */
  readonly requestId: string;
  readonly now: Date;
}

export type PasswordVerdict =
  /** The hash that the password was right for: what follows holds only as long as it is still the user's. */
  | { readonly kind: 'accepted'; readonly user: User; readonly passwordHash: string }
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

/** A count of wrong passwords is full. */
export interface LockOut {
  readonly retryInMs: number;
  /** Which count is full: a new password resets the count of the user, not that of a network. */
  readonly count: 'user' | 'network';
}

/** Somebody who has signed in says once more who they are. */
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
 * Checks a password. There is one such function and one count of failures, whichever door is tried.
 *
 * @throws AccountGone when whoever has signed in has been deleted since
 */
export type PasswordCheck = (attempt: PasswordAttempt) => Promise<PasswordVerdict>;

export interface PasswordCheckOptions {
  readonly users: Pick<UserStore, 'findByEmail'>;
  readonly passwords: PasswordHasher;
  readonly rateLimiter: RateLimiter;
  readonly record: (event: SecurityEvent) => Promise<void>;
  /** Keys the names under which attempts are counted: no address may stand in Redis. */
  readonly subjectKey: Buffer;
  readonly failuresPerUserMax: number;
  readonly failuresPerNetworkMax: number;
}

export const userWindowMs = 15 * 60_000;
export const networkWindowMs = 60 * 60_000;

/**
 * An attempt is counted before the password is looked at, and taken back when it was right, so that attempts made at
 * once cannot exceed the limit. An unknown address costs the same time as a wrong password, and is counted and refused
 * in the same way: the answer tells nobody who is a user.
 */
export function createPasswordCheck(options: PasswordCheckOptions): PasswordCheck {
  const { users, passwords, rateLimiter } = options;
  let placeholder: Promise<string> | undefined;

  async function verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    placeholder ??= passwords.hash('nobody has this password');
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
      throw new AccountGone(attempt.signedIn.account.accountId);
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
    const takeBack = () =>
      Promise.all(windows.map(({ subject }) => rateLimiter.takeBack(subject, attempt.requestId)));
    let isRight: boolean;
    try {
      isRight = await verify(user?.passwordHash, attempt.password);
    } catch (error) {
      // Nothing was learnt about the password.
      await takeBack();
      throw error;
    }
    if (user && isRight) {
      await takeBack();
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
 * Where an attempt counts: for its network first, which is the wider window, then for the user. Known devices share no
 * count with strangers, and those of one user none with those of another. So no one else can fill theirs: neither a
 * stranger who tries this user's password, nor a user in the same network with devices of their own. The count of a
 * device belongs to the password that the user has, so that a new password resets it.
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

/** Empties the count of a user's wrong passwords from unknown devices. */
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
 * A name for an address in Redis that tells nothing without the key. Every spelling that Postgres takes for the same
 * user has the same name, or each would have a count of its own: the way over upper case makes one of the two small
 * sigmas, which `toLowerCase` chooses by what follows; the dot that it leaves of a capital İ is a plain i's in Postgres.
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
