import { z } from 'zod';
import { credits } from './operations/public-parts.ts';
import { emailTypes, validationResult } from './verdict.ts';

/** The tools that assistants can call, by the names of the contract. */
export const toolNames = ['svc_validate_email', 'svc_get_account_status'] as const;

export type ToolName = (typeof toolNames)[number];

/** The resource that explains to an assistant how to use the tools. */
export const usageGuideUri = 'svc://usage-guide';

const missing = 'null when the answer did not say';

/**
 * What a call cost and how much is left. A value that the REST interface did not give is null, never 0; all of them are
 * null on failure.
 */
export const toolUsage = z.object({
  creditsRemaining: z.int().nonnegative().nullable().describe(`Credits left after this call; ${missing}.`),
  creditsConsumed: z
    .int()
    .nonnegative()
    .nullable()
    .describe('Credits that this call used: 1 or 0 for a validation; null for the account status.'),
  rateLimitLimit: z
    .int()
    .nonnegative()
    .nullable()
    .describe(`Requests that the account may make in any one second; ${missing}.`),
  rateLimitRemaining: z
    .int()
    .nonnegative()
    .nullable()
    .describe(`Requests left in the current window; ${missing}.`),
  rateLimitReset: z
    .int()
    .nonnegative()
    .nullable()
    .describe(`When the oldest counted request leaves the window, in Unix milliseconds; ${missing}.`),
  rateLimitResetAt: z.string().nullable().describe('The same moment after ISO 8601, or null.'),
});

export type ToolUsage = z.output<typeof toolUsage>;

/** A failed call, in words for the assistant. */
export const toolFault = z.object({ error: z.string().describe('What went wrong and what to do about it.') });

/** The answer of `svc_validate_email`: that of the REST operation, of which the address alone is certain. */
export const validateEmailData = z.object({
  email: z.string().describe('The address that was validated.'),
  valid: z.boolean().optional().describe('True for `ok` and `catch_all_validated` alone.'),
  result: validationResult.optional(),
  mx_domain: z.string().optional().describe('Registrable domain of the preferred mail host.'),
  email_type: z.enum(emailTypes).optional().describe('What kind of domain the address belongs to.'),
  mx_provider: z.string().optional().describe('Who runs the mail host; absent when nobody is known.'),
  credits_consumed: z.boolean().optional().describe('Whether this call used a credit.'),
  mx_secure_email_gateway: z
    .boolean()
    .optional()
    .describe('Whether the recipient is behind a secure email gateway.'),
});

/** The answer of `svc_get_account_status`. */
export const accountStatusData = z.object({
  credits: credits.describe('Credits that the account can spend now.'),
});

/** The form of every tool result, failures included. */
export function toolEnvelope<Data extends z.ZodType>(data: Data) {
  return z.object({
    ok: z.boolean().describe('False on failure; the result is marked as an error then.'),
    status: z
      .int()
      .min(100)
      .max(599)
      .describe('HTTP status of the underlying REST call; of the failure, where there was no answer.'),
    data: z.union([data, toolFault]),
    usage: toolUsage,
  });
}

/** A tool result as it leaves the house. */
export interface ToolEnvelope {
  readonly ok: boolean;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly usage: ToolUsage;
}

/** What `usage` says when nothing is known. */
export const unknownUsage: ToolUsage = {
  creditsRemaining: null,
  creditsConsumed: null,
  rateLimitLimit: null,
  rateLimitRemaining: null,
  rateLimitReset: null,
  rateLimitResetAt: null,
};

/**
 * Every status of a failed tool call, with what an assistant should do. Those above 499 come with a fixed sentence, since
 * what went wrong inside is nothing for the outside.
 */
export const toolFailures = {
  400: 'The arguments do not fit, or the address is not written as the standards require. Correct them; nothing was charged.',
  401: 'The account cannot be used right now: its plan lapsed, it has no active API key, or the user left it. Tell the user what `error` says.',
  402: 'The account has too few credits. Tell the user to top up or to wait for the next billing cycle; do not try again before.',
  409: 'The same call is still being worked on. Wait as `error` says, then call again; nothing was charged for this answer.',
  413: 'The arguments are too long. Send one address.',
  429: 'Too many requests in one second. Wait as `error` says, then call again.',
  500: 'Something went wrong on the server’s side. Failed calls are normally not charged; try again once.',
  502: 'The server got an answer that it could not read. Try again once.',
  503: 'A part of the service is away. Failed calls are normally not charged; try again after some seconds.',
  504: 'There was no answer in time. Failed calls are normally not charged; try again once, later.',
} as const satisfies Readonly<Record<number, string>>;

export type ToolFailureStatus = keyof typeof toolFailures;
