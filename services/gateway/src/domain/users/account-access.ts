import type { RateLimiter } from '@mailproof/shared-types';
import type { Client, SignedIn } from '../accounts/signed-in.ts';
import type { PasswordCheck } from './check-password.ts';
import { confirmingAttempt, forgetFailures, maskSubject } from './check-password.ts';
import type { LinkStore } from './link-store.ts';
import { type LinkPurpose, type OneTimeLinkId, verifyLink } from './one-time-link.ts';
import { refuseWeakPassword } from './password-rules.ts';
import type { SecurityEventLog } from './security-event.ts';
import { beginSession, type NewSession, type SignInPorts, type Visitor } from './sign-in.ts';
import type { PasswordHasher } from './user.ts';
import { UserFault } from './user-fault.ts';

/** What signing up, signing in and changing credentials need. */
export interface AccessPorts extends SignInPorts {
  readonly links: LinkStore;
  readonly passwords: PasswordHasher;
  readonly checkPassword: PasswordCheck;
  readonly securityEvents: SecurityEventLog;
  readonly rateLimiter: RateLimiter;
  readonly commonPasswords: () => Promise<ReadonlySet<string>>;
  readonly linkKey: Buffer;
  readonly subjectKey: Buffer;
  /** Whether a mail host is configured. */
  readonly canMail: boolean;
  /** The most mails per hour that strangers can trigger to one address. */
  readonly mailsPerAddressMax: number;
  /** The most mails per hour that the members of one account can trigger. */
  readonly mailsPerAccountMax: number;
}

/** A request of a signed-in user. */
export interface SignedInRequest {
  readonly signedIn: SignedIn;
  readonly client: Client;
  readonly requestId: string;
}

const hourMs = 3_600_000;

/**
 * Requests an account. Whether the address is taken is checked only when the mail is sent, so the answer does not
 * reveal it.
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
 * Creates the account of the mail's recipient, and signs in. The password is chosen here: if the sign-up request set
 * it, a stranger could choose it and later sign in to the recipient's account.
 *
 * @throws UserFault `link_not_valid`, `email_taken`
 * @throws PasswordFault
 */
export async function confirmSignUp(
  ports: AccessPorts,
  confirmation: LinkPassword,
  visitor: Visitor,
): Promise<NewSession> {
  const { linkId, passwordHash } = await hashForLink(ports, 'sign_up', confirmation);
  const { client } = visitor;
  const user = await ports.links.useSignUp({ linkId, passwordHash, client, now: ports.now() });
  return beginSession(ports, orNotValid(user), visitor);
}

/** Requests a link that resets the password. @throws UserFault `mail_not_configured` */
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
 * Sets a new password. Clears the count of wrong passwords, so a locked-out user can sign in again.
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
 * Changes the password of a signed-in user.
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
  refuseWeakPassword(passwords.next, signedIn.email, await ports.commonPasswords());
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

/** The token of a link, and the password that the recipient chose. */
export interface LinkPassword {
  readonly token: string;
  readonly password: string;
}

/**
 * Hashes the password that was chosen with a link. A rejected password does not use up the link.
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
  refuseWeakPassword(password, email, await ports.commonPasswords());
  return { linkId, passwordHash: await ports.passwords.hash(password) };
}

/** Returns what using a link answered. @throws UserFault `link_not_valid` if the answer is undefined */
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

/** Returns the link id of a token. @throws UserFault `link_not_valid` */
function linkOf(
  { linkKey }: Pick<AccessPorts, 'linkKey'>,
  purpose: LinkPurpose,
  token: string,
): OneTimeLinkId {
  return orNotValid(verifyLink(linkKey, purpose, token));
}

/** Counts a mail that a member triggers. @throws UserFault `too_many_requests` */
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

/** Whether strangers may trigger another mail to an address. They get the same answer either way. */
export async function mayMail(
  ports: Pick<AccessPorts, 'rateLimiter' | 'subjectKey' | 'mailsPerAddressMax'>,
  email: string,
  requestId: string,
): Promise<boolean> {
  const subject = `mail:${maskSubject(ports.subjectKey, 'mail', email)}`;
  const { admitted } = await ports.rateLimiter.admit(subject, requestId, ports.mailsPerAddressMax, hourMs);
  return admitted;
}

/** Checks the password and returns its stored hash. @throws UserFault `wrong_password`, `signing_in_locked` */
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
