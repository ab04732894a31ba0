import type { Route } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { createPasswordHasher } from '../adapters/argon2/password-hasher.ts';
import { createSecurityEventLog } from '../adapters/postgres/security-event-log.ts';
import { createSessionStore } from '../adapters/postgres/session-store.ts';
import { createUserStore } from '../adapters/postgres/user-store.ts';
import type { Config } from '../config.ts';
import type { RateLimiter } from '../domain/rate-limit.ts';
import { createPasswordCheck, type PasswordCheck } from '../domain/users/check-password.ts';
import { deriveKeys } from '../domain/users/derived-keys.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import { signIn } from '../domain/users/sign-in.ts';
import type { Events } from '../events.ts';
import { getSessionRoute } from '../http/get-session.ts';
import { createSessionGuard, type SessionGuard } from '../http/session-guard.ts';
import { signInRoute } from '../http/sign-in.ts';
import { signOutRoute } from '../http/sign-out.ts';
import { createVisitorGuard } from '../http/visitor-guard.ts';

export interface UsersOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly rateLimiter: RateLimiter;
  readonly events: Events;
  readonly now: () => Date;
}

/** Everything about people who sign in. */
export interface Users {
  /** Lets in whoever has signed in; every operation with a session takes its guard from here. */
  readonly sessionGuard: SessionGuard;
  readonly checkPassword: PasswordCheck;
  /** Where what concerns an account's security is written down. */
  readonly securityEvents: SecurityEventLog;
  readonly routes: readonly Route[];
}

const daySeconds = 86_400;
/** Sign-ins that wait for their turn to be hashed; at some 30 ms each this is a wait of one or two seconds. */
const hashesWaitingMax = 64;

export function composeUsers({ config, pool, rateLimiter, events, now }: UsersOptions): Users {
  const keys = deriveKeys(config.SERVICE_SIGNING_KEY.d);
  const users = createUserStore(pool);
  const securityEvents = createSecurityEventLog(pool);
  const sessionSeconds = config.SESSION_DAYS_MAX * daySeconds;
  const sessions = createSessionStore(pool, {
    idleMs: config.SESSION_IDLE_DAYS_MAX * daySeconds * 1_000,
    absoluteMs: sessionSeconds * 1_000,
  });
  const passwords = createPasswordHasher({
    atOnceMax: config.PASSWORD_HASHES_AT_ONCE_MAX,
    waitingMax: hashesWaitingMax,
  });
  const checkPassword = createPasswordCheck({
    users,
    passwords,
    rateLimiter,
    record: securityEvents.record,
    subjectKey: keys.subjects,
    failuresPerUserMax: config.SIGN_IN_FAILURES_PER_USER_MAX,
    failuresPerNetworkMax: config.SIGN_IN_FAILURES_PER_NETWORK_MAX,
  });
  const signInPorts = { checkPassword, sessions, securityEvents, deviceKey: keys.devices, now };
  const sessionGuard = createSessionGuard({
    sessions,
    rateLimiter,
    events,
    now,
    publicBaseUrl: config.PUBLIC_BASE_URL,
    requestsPerSecondMax: config.SESSION_REQUESTS_PER_SECOND_MAX,
    failuresPerMinuteMax: config.AUTH_FAILURES_PER_MINUTE_MAX,
  });
  const visitorGuard = createVisitorGuard({
    rateLimiter,
    publicBaseUrl: config.PUBLIC_BASE_URL,
    requestsPerMinuteMax: config.VISITOR_REQUESTS_PER_MINUTE_MAX,
  });
  return {
    sessionGuard,
    checkPassword,
    securityEvents,
    routes: [
      signInRoute(
        visitorGuard,
        (credentials, visitor) => signIn(signInPorts, credentials, visitor),
        sessionSeconds,
      ),
      getSessionRoute(sessionGuard),
      signOutRoute(sessionGuard, async ({ userId, sessionId, account, client }) => {
        await sessions.end(userId, sessionId);
        await securityEvents.record({
          accountId: account.accountId,
          userId,
          kind: 'sign_out',
          at: now(),
          client,
        });
      }),
    ],
  };
}
