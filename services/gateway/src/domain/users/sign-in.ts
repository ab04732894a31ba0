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

/** What a visitor's browser brings along. */
export interface Visitor {
  readonly client: Client;
  readonly requestId: string;
  readonly deviceCookie?: string | undefined;
  /** Of a session that this browser has had so far. */
  readonly sessionToken?: SessionToken | undefined;
}

/** A session that has just begun, with what the browser is to keep. */
export interface BegunSession {
  readonly signedIn: SignedIn;
  readonly token: SessionToken;
  readonly device: string;
}

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly session: BegunSession }
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
 * Begins a session for whoever has proved who they are. It is always a new one; what the browser had before ends.
 *
 * @throws UserFault `wrong_credentials` when the user has gone or has another password by now
 */
export async function beginSession(
  { sessions, securityEvents, deviceKey, now }: Omit<SignInPorts, 'checkPassword'>,
  user: User,
  visitor: Visitor,
  passwordHash?: string,
): Promise<BegunSession> {
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
