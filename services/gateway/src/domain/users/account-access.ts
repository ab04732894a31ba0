import type { RateLimiter } from '@mailproof/shared-types';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { PasswordCheck } from './check-password.ts';
import { confirmingAttempt, forgetFailures, maskSubject } from './check-password.ts';
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
 */
export async function askSignUp(
  ports: AccessPorts,
  { email, accountName }: { readonly email: string; readonly accountName: string },
  visitor: Visitor,
): Promise<void> {
  requireMail(ports);
  if (await mayMail(ports, email, visitor.requestId)) {
    await ports.links.askSignUp({ email, accountName, now: ports.now() });
  }
}

/**
 * Makes the account of whoever got the mail, and signs in. The password is chosen here: one that came with the request
 * for the mail would be a stranger's, who could then sign in to the account of whoever follows the link.
 *
 * @throws UserFault `link_not_valid`, `email_taken`
 * @throws PasswordFault
 */
export async function confirmSignUp(
  ports: AccessPorts,
  confirmation: LinkPassword,
  visitor: Visitor,
): Promise<BegunSession> {
  const { linkId, passwordHash } = await hashForLink(ports, 'sign_up', confirmation);
  const { client } = visitor;
  const user = await ports.links.useSignUp({ linkId, passwordHash, client, now: ports.now() });
  return beginSession(ports, orNotValid(user), visitor);
}

/** Asks for a link that resets the password. @throws UserFault `mail_not_configured` */
export async function askPasswordReset(
  ports: AccessPorts,
  email: string,
  { client, requestId }: Visitor,
): Promise<void> {
  requireMail(ports);
  if (await mayMail(ports, email, requestId)) {
    await ports.links.askPasswordReset({ email, client, now: ports.now() });
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
  reset: LinkPassword,
  { client }: Visitor,
): Promise<void> {
  const { linkId, passwordHash } = await hashForLink(ports, 'password_reset', reset);
  const user = await ports.links.usePasswordReset({ linkId, passwordHash, client, now: ports.now() });
  await forgetFailures(ports, orNotValid(user).email);
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
  const currentHash = await requirePassword(ports, passwords.current, request);
  refuseWeakPassword(passwords.next, signedIn.email, ports.commonPasswords);
  const passwordHash = await ports.passwords.hash(passwords.next);
  const change = { signedIn, currentHash, passwordHash, client, now: ports.now() };
  if (!(await ports.links.changePassword(change))) {
    throw new UserFault('wrong_password');
  }
}

/** @throws UserFault `mail_not_configured`, `wrong_password`, `signing_in_locked`, `too_many_requests` */
export async function askEmailChange(
  ports: AccessPorts,
  { email, password }: { readonly email: string; readonly password: string },
  request: SignedInRequest,
): Promise<void> {
  requireMail(ports);
  const { signedIn, client } = request;
  const currentHash = await requirePassword(ports, password, request);
  await countAccountMail(ports, request);
  if (!(await ports.links.askEmailChange({ signedIn, currentHash, email, client, now: ports.now() }))) {
    throw new UserFault('wrong_password');
  }
}

/** @throws UserFault `link_not_valid`, `email_taken` */
export async function confirmEmailChange(
  ports: AccessPorts,
  token: string,
  { client }: Visitor,
): Promise<void> {
  const linkId = linkOf(ports, 'email_change', token);
  orNotValid(await ports.links.useEmailChange({ linkId, client, now: ports.now() }));
}

/** The token of a link, with the password that its reader chose. */
export interface LinkPassword {
  readonly token: string;
  readonly password: string;
}

/**
 * Hashes the password that was chosen with a link. A refused one leaves the link as it was.
 *
 * @throws UserFault `link_not_valid`
 * @throws PasswordFault
 */
export async function hashForLink(
  ports: Pick<AccessPorts, 'links' | 'passwords' | 'commonPasswords' | 'linkKey' | 'now'>,
  purpose: LinkPurpose,
  { token, password }: LinkPassword,
): Promise<{ readonly linkId: OneTimeLinkId; readonly passwordHash: string }> {
  const linkId = linkOf(ports, purpose, token);
  const { email } = orNotValid(await ports.links.find(linkId, purpose, ports.now()));
  refuseWeakPassword(password, email, ports.commonPasswords);
  return { linkId, passwordHash: await ports.passwords.hash(password) };
}

/** What the use of a link answered. @throws UserFault `link_not_valid` when it answered nothing */
export function orNotValid<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) {
    throw new UserFault('link_not_valid');
  }
  return answer;
}

/** @throws UserFault `mail_not_configured` */
export function requireMail({ canMail }: Pick<AccessPorts, 'canMail'>): void {
  if (!canMail) {
    throw new UserFault('mail_not_configured');
  }
}

/** Answers the link of a token. @throws UserFault `link_not_valid` */
function linkOf(
  { linkKey }: Pick<AccessPorts, 'linkKey'>,
  purpose: LinkPurpose,
  token: string,
): OneTimeLinkId {
  return orNotValid(verifyLink(linkKey, purpose, token));
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
export async function mayMail(
  ports: Pick<AccessPorts, 'rateLimiter' | 'subjectKey' | 'mailsPerAddressMax'>,
  email: string,
  requestId: string,
): Promise<boolean> {
  const subject = `mail:${maskSubject(ports.subjectKey, 'mail', email)}`;
  const { admitted } = await ports.rateLimiter.admit(subject, requestId, ports.mailsPerAddressMax, hourMs);
  return admitted;
}

/** Answers the hash of the password that was given. @throws UserFault `wrong_password`, `signing_in_locked` */
async function requirePassword(
  ports: AccessPorts,
  password: string,
  request: SignedInRequest,
): Promise<string> {
  const verdict = await ports.checkPassword(confirmingAttempt(request, password, ports.now()));
  if (verdict.kind === 'locked') {
    throw new UserFault('signing_in_locked', verdict.retryInMs);
  }
  if (verdict.kind === 'refused') {
    throw new UserFault('wrong_password');
  }
  return verdict.passwordHash;
}
