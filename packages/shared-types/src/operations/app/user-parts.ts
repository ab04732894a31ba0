import { z } from 'zod';
import { accountId, invitationId, sessionId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { planNames } from '../../plans.ts';
import { securityEventKinds } from '../../security-events.ts';

/** The roles in an account: an owner can do everything, a member everything except billing, membership and security. */
export const roles = ['owner', 'member'] as const;

export type Role = (typeof roles)[number];

export const role = z.enum(roles);

/**
 * One line of display text. It contains no control characters, including NUL, which Postgres cannot store, and no
 * characters that change the direction of the text after it, for example in an invitation.
 */
const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

export const accountName = z
  .string()
  .trim()
  .min(1)
  .max(limits.accountNameCharactersMax)
  .regex(oneLine, 'must be one line without control characters')
  .describe('Account name, for example the company name.');

/**
 * Normalizes a password: Unicode has several encodings of some characters, and a password typed on another keyboard
 * must still match.
 */
function normalizedPassword(minimum: number) {
  return z
    .string()
    .max(4 * limits.passwordCharactersMax)
    .refine(text => text.isWellFormed(), 'must be Unicode text')
    .transform(text => text.normalize('NFC'))
    .refine(
      text => lengthOf(text) >= minimum && lengthOf(text) <= limits.passwordCharactersMax,
      `must have ${minimum} to ${limits.passwordCharactersMax} characters`,
    )
    .meta({ format: 'password' });
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** A newly chosen password. */
export const newPassword = normalizedPassword(limits.passwordCharactersMin).describe(
  `${limits.passwordCharactersMin} to ${limits.passwordCharactersMax} characters; not your email address or a common password.`,
);

/** A password as a user types it to sign in. */
export const typedPassword = normalizedPassword(1);

/** The value of `#token=` in a mailed link. */
export const linkToken = z.string().min(1).max(200).describe('The token in the emailed link.');

/** The request that uses an emailed link. */
export const linkUse = z.strictObject({ token: linkToken }).meta({ id: 'LinkUse' });

/** The signed-in user with their account. */
export const signedInAnswer = z
  .object({
    user_id: userId,
    email: z.string(),
    role,
    account: z.object({ account_id: accountId, name: z.string(), plan: z.enum(planNames) }),
    session_id: sessionId,
  })
  .meta({ id: 'SignedIn' });

/** The answer to a request for a mail. It is the same for every address, so that it does not reveal who is a user. */
export const mailAnswer = z
  .object({
    sent_to: z.string().describe('The email address from the request; it may not belong to a user.'),
  })
  .meta({ id: 'MailQueued' });

export const doneAnswer = z.object({ done: z.literal(true) }).meta({ id: 'Done' });

/** The response header that sets the session cookie. */
export const sessionCookieHeader = {
  'set-cookie': {
    type: 'string',
    description: 'The session cookie: HttpOnly, Secure, SameSite=Lax, for this host only.',
  },
} as const;

const signedInExample = {
  user_id: userId.parse('user_0199d4c5a1f07c3fb2e4d6a8c0e1f203'),
  email: 'ada@ordinary.example',
  role: 'owner',
  account: {
    account_id: accountId.parse('acct_0199d4c5a1f07c3fb2e4d6a8c0e1f204'),
    name: 'Ordinary Example Ltd',
    plan: 'free',
  },
  session_id: sessionId.parse('sess_0199d4c5a1f07c3fb2e4d6a8c0e1f205'),
} as const;

/** The success response of every operation that signs a user in. */
export const signedInSuccess = {
  status: 200,
  description: 'Signed in.',
  schema: signedInAnswer,
  example: signedInExample,
  headers: sessionCookieHeader,
} as const;

/** Problems of every operation that anyone can call. */
export const openProblems = ['cross_site_request', 'too_many_requests'] as const;

/** A session as shown to its user. */
export const openSession = z
  .object({
    session_id: sessionId,
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().describe('Rounded to the minute.'),
    user_agent: z.string().describe('The shortened `User-Agent` of the browser at sign-in.'),
    current: z.boolean().describe('Whether this is the current session.'),
  })
  .meta({ id: 'Session' });

/** A user of the account as shown to its owners. */
export const member = z
  .object({ user_id: userId, email: z.string(), role, created_at: z.iso.datetime() })
  .meta({ id: 'Member' });

/** A pending invitation to the account. */
export const invitation = z
  .object({
    invitation_id: invitationId,
    email: z.string(),
    role,
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });

/** An event that affects the security of the account. */
export const securityEvent = z
  .object({
    kind: z.enum(securityEventKinds),
    at: z.iso.datetime(),
    user_id: userId
      .nullable()
      .describe('The user whose sign-in, password or role it concerns; null: the operator.'),
    client_network: z.string().describe('The client’s IP address; for IPv6, the first 64 bits.'),
    user_agent: z.string().describe('The shortened `User-Agent` of the browser.'),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: 'SecurityEvent' });
