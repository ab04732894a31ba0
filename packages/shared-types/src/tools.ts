import { z } from 'zod';
import { credits } from './operations/public-parts.ts';
import { emailTypes, validationResult } from './verdict.ts';

/** The names of the tools that assistants can call; the contract defines the first two (ADR 0079). */
export const toolNames = [
  'svc_validate_email',
  'svc_get_account_status',
  'svc_prepare_list_validation',
  'svc_start_list_validation',
  'svc_get_list_validation',
  'svc_get_list_results',
  'svc_enrich_profile',
  'svc_search_people',
  'svc_get_more_people',
  'svc_search_companies',
  'svc_get_more_companies',
  'svc_find_similar_companies',
] as const;

export type ToolName = (typeof toolNames)[number];

/** The resource that explains to an assistant how to use the tools. */
export const usageGuideUri = 'svc://usage-guide';

const missing = 'null if the response did not include it';

/**
 * The cost of a call and the remaining credits and requests. A value that the REST interface did not report is null,
 * never 0; all values are null on failure.
 */
export const toolUsage = z.object({
  creditsRemaining: z.int().nonnegative().nullable().describe(`Credits left after this call; ${missing}.`),
  creditsConsumed: z
    .int()
    .nonnegative()
    .nullable()
    .describe(
      'Credits that this call used; null for the account status, and for the start of a list, which is charged at its end.',
    ),
  rateLimitLimit: z
    .int()
    .nonnegative()
    .nullable()
    .describe(`Requests that the account can make per second; ${missing}.`),
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
  rateLimitResetAt: z.string().nullable().describe('The same time in ISO 8601, or null.'),
});

export type ToolUsage = z.output<typeof toolUsage>;

/** The data of a failed call, worded for the assistant. */
export const toolFault = z.object({ error: z.string().describe('What went wrong and what to do about it.') });

/** The answer of `svc_validate_email`: the answer of the REST operation; only `email` is always present. */
export const validateEmailData = z.object({
  email: z.string().describe('The address that was validated.'),
  valid: z.boolean().optional().describe('True only for `ok` and `catch_all_validated`.'),
  result: validationResult.optional(),
  mx_domain: z.string().optional().describe('Registrable domain of the preferred mail host.'),
  email_type: z.enum(emailTypes).optional().describe('What kind of domain the address belongs to.'),
  mx_provider: z.string().optional().describe('Provider of the mail host; absent if unknown.'),
  credits_consumed: z.boolean().optional().describe('Whether this call used a credit.'),
  mx_secure_email_gateway: z
    .boolean()
    .optional()
    .describe('Whether the recipient is behind a secure email gateway.'),
});

/** The answer of `svc_get_account_status`. */
export const accountStatusData = z.object({
  credits: credits.describe('The account’s available credits.'),
});

/** The form of every tool result, failures included. */
export function toolEnvelope<Data extends z.ZodType>(data: Data) {
  return z.object({
    ok: z.boolean().describe('False if the call failed; the result is then marked as an error.'),
    status: z
      .int()
      .min(100)
      .max(599)
      .describe('HTTP status of the underlying REST call, or of the failure if there was no response.'),
    data: z.union([data, toolFault]),
    usage: toolUsage,
  });
}

/** A tool result as returned to the client. */
export interface ToolEnvelope {
  readonly ok: boolean;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly usage: ToolUsage;
}

/** The value of `usage` if nothing is known. */
export const unknownUsage: ToolUsage = {
  creditsRemaining: null,
  creditsConsumed: null,
  rateLimitLimit: null,
  rateLimitRemaining: null,
  rateLimitReset: null,
  rateLimitResetAt: null,
};

/**
 * Every status of a failed tool call, with what the assistant should do. Statuses above 499 have a fixed sentence,
 * because internal errors are not exposed.
 */
export const toolFailures = {
  400: 'The arguments are invalid, or the email address is malformed. Correct them; nothing was charged.',
  401: 'The account cannot be used right now: its plan lapsed, it has no active API key, or the user left it. Tell the user what `error` says.',
  402: 'Not enough credits. Tell the user to add credits or wait for the next billing cycle; do not retry before then.',
  404: 'The account has no such list or search, or it was deleted. Check the id.',
  409: 'The call does not fit the current state: for example, the same call is still in progress, or it costs more than `max_credits`. Do what `error` says; this response was not charged.',
  413: 'The arguments are too long. Send fewer addresses.',
  422: 'A value is not known, or the list has no addresses. `error` says which values are similar; nothing was charged.',
  429: 'Too many requests. Wait for the time that `error` states, then call again.',
  500: 'Something went wrong on the server’s side. Failed calls are normally not charged; try again once.',
  502: 'The server received a response that it could not read. Try again once.',
  503: 'The service is temporarily unavailable. Failed calls are normally not charged; try again after a few seconds.',
  504: 'The call timed out. Failed calls are normally not charged; try again once, later.',
} as const satisfies Readonly<Record<number, string>>;

export type ToolFailureStatus = keyof typeof toolFailures;
