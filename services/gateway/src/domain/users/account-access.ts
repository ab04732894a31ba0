import type { RateLimiter } from '../rate-limit.ts';
import type { Client, SignedIn } from '../signed-in.ts';
import type { PasswordCheck } from './check-password.ts';
import { forgetFailures, maskSubject } from './check-password.ts';
import type { LinkStore } from './link-store.ts';
import { type LinkPurpose, type OneTimeLinkId, verifyLink } from './one-time-link.ts';
import { refuseWeakPassword } from './password-rules.ts';
import type { SecurityEventLog } from './security-event.ts';
import { type BegunSession, beginSession, type SignInPorts, type Visitor } from './sign-in.ts';
import type { PasswordHasher } from './user.ts';
import { UserFault } from './user-fault.ts';

/** What people need in order to get, keep and change their access. */
export interface AccessPorts extends SignInPorts {
  readonly links: LinkStore;
  readonly passwords: PasswordHasher;
  readonly checkPassword: PasswordCheck;
  readonly securityEvents: SecurityEventLog;
  readonly rateLimiter: RateLimiter;
  readonly commonPasswords: ReadonlySet<string>;
  readonly linkKey: Buffer;
  readonly subjectKey: Buffer;
  /** Whether a mail host is set. */
  readonly canMail: boolean;
  /** Mails that strangers can cause to one address in an hour. */
  readonly mailsPerAddressMax: number;
  /** Mails that the members of one account can cause in an hour. */
  readonly mailsPerAccountMax: number;
}

/** A request of somebody who has signed in. */
export interface SignedInRequest {
  readonly signedIn: SignedIn;
  readonly client: Client;
  readonly requestId: string;
}

const hourMs = 3_600_000;

/**
 * Asks for an account. What the answer would give away is decided when the mail is sent.
 *
 * @throws UserFault `mail_not_configured`
 * @throws PasswordFault
 */
export async function askSignUp(
  ports: AccessPorts,
  request: { readonly email: string; readonly password: string; readonly accountName: string },
  visitor: Visitor,
): Promise<void> {
  requireMail(ports);
  const { email, password, accountName } = request;
  refuseWeakPassword(password, email, ports.commonPasswords);
  const passwordHash = await ports.passwords.hash(password);
  if (await mayMail(ports, email, visitor.requestId)) {
    await ports.links.askSignUp({ email, accountName, passwordHash, now: ports.now() });
  }
}

/** @throws UserFault `link_not_valid`, `email_taken` */
export async function confirmSignUp(
  ports: AccessPorts,
  token: string,
  visitor: Visitor,
): Promise<BegunSession> {
  const linkId = linkOf(ports, 'sign_up', token);
  const at = ports.now();
  const user = await ports.links.useSignUp(linkId, at);
  if (!user) {
    throw new UserFault('link_not_valid');
  }
  const { accountId, userId } = user;
  const { client } = visitor;
  await ports.securityEvents.record({ accountId, userId, kind: 'account_created', at, client });
  return beginSession(ports, user, visitor);
}

/** Asks for a link that resets the password. @throws UserFault `mail_not_configured` */
export async function askPasswordReset(ports: AccessPorts, email: string, visitor: Visitor): Promise<void> {
  requireMail(ports);
  if (!(await mayMail(ports, email, visitor.requestId))) {
    return;
  }
  const at = ports.now();
  const user = await ports.links.askPasswordReset(email, at);
  if (user) {
    await ports.securityEvents.record({ ...user, kind: 'password_reset_asked', at, client: visitor.client });
  }
}

/**
 * Sets a new password. Wrong passwords so far are forgotten, so that whoever was locked out gets in again.
 *
 * @throws UserFault `link_not_valid`
 * @throws PasswordFault
 */
export async function resetPassword(
  ports: AccessPorts,
  { token, password }: { readonly token: string; readonly password: string },
  { client }: Visitor,
): Promise<void> {
  const linkId = linkOf(ports, 'password_reset', token);
  const link = await ports.links.find(linkId, 'password_reset', ports.now());
  if (!link) {
    throw new UserFault('link_not_valid');
  }
  refuseWeakPassword(password, link.email, ports.commonPasswords);
  const passwordHash = await ports.passwords.hash(password);
  const at = ports.now();
  const user = await ports.links.usePasswordReset(linkId, passwordHash, at);
  if (!user) {
    throw new UserFault('link_not_valid');
  }
  const { accountId, userId, email } = user;
  await ports.securityEvents.record({
    accountId,
    userId,
    kind: 'password_changed',
    at,
    client,
    details: { by: 'link' },
  });
  await forgetFailures(ports, email);
}

/**
 * Changes the password of whoever has signed in.
 *
 * @throws UserFault `wrong_password`, `signing_in_locked`
 * @throws PasswordFault
 */
export async function changePassword(
  ports: AccessPorts,
  passwords: { readonly current: string; readonly next: string },
  request: SignedInRequest,
): Promise<void> {
  const { signedIn, client } = request;
  await requirePassword(ports, passwords.current, request);
  refuseWeakPassword(passwords.next, signedIn.email, ports.commonPasswords);
  const passwordHash = await ports.passwords.hash(passwords.next);
  const at = ports.now();
  await ports.links.changePassword(signedIn, passwordHash, at);
  await ports.securityEvents.record({
    accountId: signedIn.account.accountId,
    userId: signedIn.userId,
    kind: 'password_changed',
    at,
    client,
    details: { by: 'password' },
  });
}

/** @throws UserFault `mail_not_configured`, `wrong_password`, `signing_in_locked`, `too_many_requests` */
export async function askEmailChange(
  ports: AccessPorts,
  wanted: { readonly email: string; readonly password: string },
  request: SignedInRequest,
): Promise<void> {
  requireMail(ports);
  const { signedIn, client } = request;
  await requirePassword(ports, wanted.password, request);
  await countAccountMail(ports, request);
  const at = ports.now();
  await ports.links.askEmailChange(signedIn, wanted.email, at);
  await ports.securityEvents.record({
    accountId: signedIn.account.accountId,
    userId: signedIn.userId,
    kind: 'email_change_asked',
    at,
    client,
  });
}

/** @throws UserFault `link_not_valid`, `email_taken` */
export async function confirmEmailChange(
  ports: AccessPorts,
  token: string,
  { client }: Visitor,
): Promise<void> {
  const linkId = linkOf(ports, 'email_change', token);
  const at = ports.now();
  const user = await ports.links.useEmailChange(linkId, at);
  if (!user) {
    throw new UserFault('link_not_valid');
  }
  const { accountId, userId } = user;
  await ports.securityEvents.record({ accountId, userId, kind: 'email_changed', at, client });
}

/** @throws UserFault `mail_not_configured` */
export function requireMail({ canMail }: Pick<AccessPorts, 'canMail'>): void {
  if (!canMail) {
    throw new UserFault('mail_not_configured');
  }
}

/** Answers the link of a token. @throws UserFault `link_not_valid` */
export function linkOf(
  { linkKey }: Pick<AccessPorts, 'linkKey'>,
  purpose: LinkPurpose,
  token: string,
): OneTimeLinkId {
  const linkId = verifyLink(linkKey, purpose, token);
  if (!linkId) {
    throw new UserFault('link_not_valid');
  }
  return linkId;
}

/** Counts a mail that a member causes. @throws UserFault `too_many_requests` */
export async function countAccountMail(
  ports: Pick<AccessPorts, 'rateLimiter' | 'mailsPerAccountMax'>,
  { signedIn, requestId }: SignedInRequest,
): Promise<void> {
  const subject = `account-mail:${signedIn.account.accountId}`;
  const decision = await ports.rateLimiter.admit(subject, requestId, ports.mailsPerAccountMax, hourMs);
  if (!decision.admitted) {
    throw new UserFault('too_many_requests', decision.resetInMs);
  }
}

/** Whether strangers may cause another mail to an address. The answer to them is the same either way. */
async function mayMail(ports: AccessPorts, email: string, requestId: string): Promise<boolean> {
  const subject = `mail:${maskSubject(ports.subjectKey, `mail:${email.toLowerCase()}`)}`;
  const { admitted } = await ports.rateLimiter.admit(subject, requestId, ports.mailsPerAddressMax, hourMs);
  return admitted;
}

async function requirePassword(
  ports: AccessPorts,
  password: string,
  { signedIn, client, requestId }: SignedInRequest,
): Promise<void> {
  const verdict = await ports.checkPassword({
    email: signedIn.email,
    password,
    client,
    knownDevice: signedIn.sessionId,
    requestId,
    now: ports.now(),
  });
  if (verdict.kind === 'locked') {
    throw new UserFault('signing_in_locked', verdict.retryInMs);
  }
  if (verdict.kind === 'refused') {
    throw new UserFault('wrong_password');
  }
}
