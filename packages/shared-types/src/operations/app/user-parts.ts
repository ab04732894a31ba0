import { z } from 'zod';
import { accountId, invitationId, sessionId, userId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { planNames } from '../../plans.ts';
import { securityEventKinds } from '../../security-events.ts';

/** What a member of an account may do: an owner everything, a member all but what concerns money, people and safety. */
export const roles = ['owner', 'member'] as const;

export type Role = (typeof roles)[number];

export const role = z.enum(roles);

/**
 * Text of one line that people read: no control characters, among them NUL, which Postgres cannot keep, and none that
 * turns the direction of what follows it, in an invitation for example.
 */
const oneLine = /^[^\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

export const accountName = z
  .string()
  .trim()
  .min(1)
  .max(limits.accountNameCharactersMax)
  .regex(oneLine, 'must be one line without control characters')
  .describe('What to call the account, for example the company’s name.');

/** Unicode offers several spellings of one character; a password typed on another keyboard must still be the same. */
function normalisedPassword(minimum: number) {
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

/** A password that is being chosen. */
export const newPassword = normalisedPassword(limits.passwordCharactersMin).describe(
  `${limits.passwordCharactersMin} to ${limits.passwordCharactersMax} characters; neither the email address nor one of the most common passwords.`,
);

/** A password as somebody types it in order to be known. */
export const typedPassword = normalisedPassword(1);

/** What stands after `#token=` in a link that was mailed. */
export const linkToken = z
  .string()
  .min(1)
  .max(200)
  .describe('The token of the link, as the mail brought it.');

/** The use of a link that was mailed. */
export const linkUse = z.strictObject({ token: linkToken }).meta({ id: 'LinkUse' });

/** Who has signed in, and where. */
export const signedInAnswer = z
  .object({
    user_id: userId,
    email: z.string(),
    role,
    account: z.object({ account_id: accountId, name: z.string(), plan: z.enum(planNames) }),
    session_id: sessionId,
  })
  .meta({ id: 'SignedIn' });

/** The answer to whoever asks for a mail: the same for every address, so that nobody learns who is a user. */
export const mailAnswer = z
  .object({ sent_to: z.string().describe('The address that was asked for; it may be nobody’s.') })
  .meta({ id: 'MailUnderWay' });

export const doneAnswer = z.object({ done: z.literal(true) }).meta({ id: 'Done' });

/** Sets the session cookie. */
export const sessionCookieHeader = {
  'set-cookie': {
    type: 'string',
    description: 'The session cookie: HttpOnly, Secure, SameSite=Lax, for this host alone.',
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

/** The success of every operation that signs in. */
export const signedInSuccess = {
  status: 200,
  description: 'Signed in.',
  schema: signedInAnswer,
  example: signedInExample,
  headers: sessionCookieHeader,
} as const;

/** Problems of every operation that anybody may call. */
export const openProblems = ['cross_site_request', 'too_many_requests'] as const;

/** A session, as its user sees it. */
export const openSession = z
  .object({
    session_id: sessionId,
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().describe('To the minute.'),
    user_agent: z.string().describe('What the browser called itself when it signed in, shortened.'),
    current: z.boolean().describe('Whether it is the session that asks.'),
  })
  .meta({ id: 'Session' });

/** A user of the account, as its owners see it. */
export const member = z
  .object({ user_id: userId, email: z.string(), role, created_at: z.iso.datetime() })
  .meta({ id: 'Member' });

/** Somebody who has been asked into the account and has not come yet. */
export const invitation = z
  .object({
    invitation_id: invitationId,
    email: z.string(),
    role,
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });

/** Something that happened to the security of the account. */
export const securityEvent = z
  .object({
    kind: z.enum(securityEventKinds),
    at: z.iso.datetime(),
    user_id: userId.nullable().describe('Whose sign-in, password or role it was; null: the operator.'),
    client_network: z.string().describe('The client’s address; of an IPv6 address the first 64 bits.'),
    user_agent: z.string().describe('What the browser called itself, shortened.'),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  })
  .meta({ id: 'SecurityEvent' });
