import {
  type CountFailure,
  type Guard,
  type RateWindows,
  type Recurring,
  type Sealer,
  startRecurring,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { type RateLimiter, sendMailJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createPasswordHasher } from '../adapters/argon2/password-hasher.ts';
import { readCommonPasswords } from '../adapters/common-passwords/read-common-passwords.ts';
import { createLinkStore } from '../adapters/postgres/link-store.ts';
import { createMailQueue } from '../adapters/postgres/mail-queue.ts';
import { createMemberStore } from '../adapters/postgres/member-store.ts';
import { createSecurityEventLog } from '../adapters/postgres/security-event-log.ts';
import { createSessionStore } from '../adapters/postgres/session-store.ts';
import { createUserStore } from '../adapters/postgres/user-store.ts';
import { failClosed } from '../adapters/redis/fail-closed.ts';
import { createSmtpMail } from '../adapters/smtp/smtp-mail.ts';
import type { Config } from '../config.ts';
import { createNumberNames, type NameNumber } from '../domain/accounts/number-names.ts';
import type { MailPort } from '../domain/mail-port.ts';
import { createPasswordCheck, type PasswordCheck } from '../domain/users/check-password.ts';
import { deriveKeys } from '../domain/users/derived-keys.ts';
import type { MemberPorts } from '../domain/users/members.ts';
import type { SecurityEventLog } from '../domain/users/security-event.ts';
import { sendMail } from '../domain/users/send-mail.ts';
import type { Visitor } from '../domain/users/sign-in.ts';
import type { Events } from '../events.ts';
import { createSessionGuard, type SessionGuard } from '../http/guards/session-guard.ts';
import { createVisitorGuard } from '../http/guards/visitor-guard.ts';
import { memberHandlers } from '../http/members.ts';
import { securityHandlers } from '../http/security.ts';
import { sessionHandlers } from '../http/sessions.ts';

export interface UsersOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly rateLimiter: RateLimiter;
  /** Remembers refusals, for guards; `rateLimiter` is for windows whose attempts can be uncounted. */
  readonly windows: RateWindows;
  readonly countFailure: CountFailure;
  /** Seals the positions at which pages of lists end. */
  readonly cursorSealer: Sealer;
  readonly events: Events;
  readonly now: () => Date;
}

/** Everything related to users who sign in. */
export interface Users {
  /** Admits signed-in users; every operation with a session takes its guard from here. */
  readonly sessionGuard: SessionGuard;
  /** The log of security events of accounts. */
  readonly securityEvents: SecurityEventLog;
  /** The only function that checks passwords, with the only count of wrong ones. */
  readonly checkPassword: PasswordCheck;
  /** Signs device cookies. */
  readonly deviceKey: Buffer;
  /** Turns row numbers into names for customers. */
  readonly nameNumber: NameNumber;
  /** Guards operations that anyone may call. */
  readonly visitorGuard: Guard<Visitor>;
  /** What is needed to send a mail with a link. */
  readonly mailing: Pick<
    MemberPorts,
    'canMail' | 'rateLimiter' | 'subjectKey' | 'mailsPerAddressMax' | 'linkKey' | 'now'
  >;
  /** Sends notices; absent if no mail host is configured. */
  readonly mail: MailPort | undefined;
  /** Signs the URLs that stop notices by mail. */
  readonly noticeKey: Buffer;
  readonly handlers: ReturnType<typeof sessionHandlers> &
    ReturnType<typeof securityHandlers> &
    ReturnType<typeof memberHandlers>;
  readonly jobs: readonly OutboxJob[];
  /** Starts to delete expired data periodically. */
  startSweep(): void;
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const sweepEveryMs = 3_600_000;
const mailsAtOnceMax = 5;
/** The most password hashes that may wait in line; at about 30 ms each, the last one waits one or two seconds. */
const hashesWaitingMax = 64;

export function composeUsers(options: UsersOptions): Users {
  const { config, pool, events, now } = options;
  const rateLimiter = failClosed(options.rateLimiter);
  const stores = openStores(options);
  const { sessions, securityEvents, queue } = stores;
  const keys = deriveKeys(config.SERVICE_SIGNING_KEY.d);
  const ports = accessPorts({ ...options, rateLimiter }, stores, keys);
  const mail =
    config.MAIL_SMTP_URL === undefined
      ? undefined
      : createSmtpMail({ url: config.MAIL_SMTP_URL, from: config.MAIL_FROM });
  const { PUBLIC_BASE_URL: publicBaseUrl } = config;
  const sessionGuard = createSessionGuard({
    sessions,
    rateLimiter: options.windows,
    countFailure: options.countFailure,
    cursorSealer: options.cursorSealer,
    now,
    publicBaseUrl,
    requestsPerSecondMax: config.SESSION_REQUESTS_PER_SECOND_MAX,
  });
  const requestsPerMinuteMax = config.VISITOR_REQUESTS_PER_MINUTE_MAX;
  const visitorGuard = createVisitorGuard({
    rateLimiter: options.windows,
    publicBaseUrl,
    requestsPerMinuteMax,
  });
  const sessionSeconds = config.SESSION_DAYS_MAX * (dayMs / 1_000);
  let sweeping: Recurring | undefined;
  const sweep = {
    everyMs: sweepEveryMs,
    async work() {
      await sessions.sweep(now());
      await queue.sweep(now());
      await securityEvents.sweep(new Date(now().getTime() - config.SECURITY_EVENT_DAYS_MAX * dayMs));
    },
    onFailed: events.sweepFailed,
  };
  const sending = {
    queue,
    mail,
    linkKey: keys.links,
    publicBaseUrl,
    now,
    onSent: events.mailSent,
    onRefused: events.mailRefused,
  };
  return {
    sessionGuard,
    nameNumber: createNumberNames(keys.numbers),
    securityEvents,
    checkPassword: ports.checkPassword,
    deviceKey: ports.deviceKey,
    visitorGuard,
    mailing: ports,
    mail,
    noticeKey: keys.notices,
    handlers: {
      ...sessionHandlers(ports, sessionSeconds),
      ...securityHandlers(ports),
      ...memberHandlers({ ...ports, members: createMemberStore(pool) }, sessionSeconds),
    },
    jobs: [outboxJob(sendMailJob, mailsAtOnceMax, ({ mailId }) => sendMail(sending, mailId))],
    startSweep() {
      sweeping = startRecurring(sweep);
    },
    async close() {
      await sweeping?.close();
      mail?.close();
    },
  };
}

function openStores({ config, pool }: UsersOptions) {
  return {
    users: createUserStore(pool),
    links: createLinkStore(pool),
    queue: createMailQueue(pool),
    securityEvents: createSecurityEventLog(pool),
    sessions: createSessionStore(pool, {
      idleMs: config.SESSION_IDLE_DAYS_MAX * dayMs,
      absoluteMs: config.SESSION_DAYS_MAX * dayMs,
    }),
  };
}

function accessPorts(
  { config, rateLimiter, now }: UsersOptions,
  { users, links, securityEvents, sessions }: ReturnType<typeof openStores>,
  keys: ReturnType<typeof deriveKeys>,
): Omit<MemberPorts, 'members'> {
  const passwords = createPasswordHasher({
    concurrencyMax: config.PASSWORD_HASHES_AT_ONCE_MAX,
    waitingMax: hashesWaitingMax,
  });
  return {
    links,
    passwords,
    sessions,
    securityEvents,
    rateLimiter,
    now,
    checkPassword: createPasswordCheck({
      users,
      passwords,
      rateLimiter,
      record: securityEvents.record,
      subjectKey: keys.subjects,
      failuresPerUserMax: config.SIGN_IN_FAILURES_PER_USER_MAX,
      failuresPerNetworkMax: config.SIGN_IN_FAILURES_PER_NETWORK_MAX,
    }),
    commonPasswords: readCommonPasswords,
    deviceKey: keys.devices,
    linkKey: keys.links,
    subjectKey: keys.subjects,
    canMail: config.MAIL_SMTP_URL !== undefined,
    mailsPerAddressMax: config.MAILS_PER_ADDRESS_PER_HOUR_MAX,
    mailsPerAccountMax: config.MAILS_PER_ACCOUNT_PER_HOUR_MAX,
  };
}
