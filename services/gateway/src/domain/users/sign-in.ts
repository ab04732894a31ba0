import type { SessionId } from '@mailproof/shared-types';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { LockOut, PasswordCheck } from './check-password.ts';
import { deviceToKeep, knownDevice } from './known-device.ts';
import type { SecurityEventLog } from './security-event.ts';
import { generateSessionToken, type SessionStore, type SessionToken } from './session.ts';
import type { User } from './user.ts';
import { UserFault } from './user-fault.ts';

export interface SignInPorts {
  readonly checkPassword: PasswordCheck;
  readonly sessions: SessionStore;
  readonly securityEvents: SecurityEventLog;
  readonly deviceKey: Buffer;
  readonly now: () => Date;
}

/** What a visitor's browser sends. */
export interface Visitor {
  readonly client: Client;
  readonly requestId: string;
  readonly deviceCookie?: string | undefined;
  /** The token of the browser's previous session. */
  readonly sessionToken?: SessionToken | undefined;
}

/** A new session, with the values that the browser stores. */
export interface NewSession {
  readonly signedIn: SignedIn;
  readonly token: SessionToken;
  readonly device: string;
}

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly session: NewSession }
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

export async function signIn(
  ports: SignInPorts,
  credentials: { readonly email: string; readonly password: string },
  visitor: Visitor,
): Promise<SignInOutcome> {
  const verdict = await ports.checkPassword({
    ...credentials,
    client: visitor.client,
    knownDevice: knownDevice(ports.deviceKey, visitor.deviceCookie, credentials.email),
    requestId: visitor.requestId,
    now: ports.now(),
  });
  return verdict.kind === 'accepted'
    ? { kind: 'signed_in', session: await beginSession(ports, verdict.user, visitor, verdict.passwordHash) }
    : verdict;
}

/**
 * Starts a new session for an authenticated user, and ends the browser's previous one.
 *
 * @throws UserFault `wrong_credentials` if the user has since been deleted or the password changed
 */
export async function beginSession(
  { sessions, securityEvents, deviceKey, now }: Omit<SignInPorts, 'checkPassword'>,
  user: User,
  visitor: Visitor,
  passwordHash?: string,
): Promise<NewSession> {
  const token = generateSessionToken();
  const { client } = visitor;
  const at = now();
  if (visitor.sessionToken) {
    await sessions.endByToken(visitor.sessionToken);
  }
  await sessions.open({ userId: user.userId, token, userAgent: client.userAgent, now: at, passwordHash });
  const signedIn = await sessions.find(token, at);
  if (!signedIn) {
    throw new UserFault('wrong_credentials');
  }
  await securityEvents.record({
    accountId: user.accountId,
    userId: user.userId,
    kind: 'sign_in',
    at,
    client,
    details: { session_id: signedIn.sessionId satisfies SessionId },
  });
  return { signedIn, token, device: deviceToKeep(deviceKey, visitor.deviceCookie, user.email) };
}
