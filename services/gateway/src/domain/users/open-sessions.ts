import type { SecurityEventKind, SessionId } from '@mailproof/shared-types';
import type { SignedInRequest } from './account-access.ts';
import type { SecurityEventLog } from './security-event.ts';
import type { SessionStore } from './session.ts';
import { UserFault } from './user-fault.ts';

export interface OpenSessionsPorts {
  readonly sessions: SessionStore;
  readonly securityEvents: SecurityEventLog;
  readonly now: () => Date;
}

/** Ends the current session. */
export async function signOut(ports: OpenSessionsPorts, request: SignedInRequest): Promise<void> {
  const { userId, sessionId } = request.signedIn;
  await ports.sessions.end(userId, sessionId);
  await record(ports, 'sign_out', request);
}

/** Ends a session of the signed-in user. @throws UserFault `session_not_found` */
export async function endSession(
  ports: OpenSessionsPorts,
  sessionId: SessionId,
  request: SignedInRequest,
): Promise<void> {
  if (!(await ports.sessions.end(request.signedIn.userId, sessionId))) {
    throw new UserFault('session_not_found');
  }
  await record(ports, 'session_ended', request);
}

/** Ends every session and assistant of the signed-in user, and returns the number of sessions. */
export function signOutEverywhere(
  { sessions, now }: Pick<OpenSessionsPorts, 'sessions' | 'now'>,
  { signedIn, client }: SignedInRequest,
): Promise<number> {
  return sessions.endAll(signedIn, client, now());
}

async function record(
  { securityEvents, now }: OpenSessionsPorts,
  kind: SecurityEventKind,
  { signedIn, client }: SignedInRequest,
): Promise<void> {
  const { account, userId } = signedIn;
  await securityEvents.record({ accountId: account.accountId, userId, kind, at: now(), client });
}
