import {
  type ProblemDocument,
  prices,
  problemDocument,
  problemKinds,
  type ToolFailureStatus,
  toolFailures,
} from '@mailproof/shared-types';
import type { RestAnswer } from './tool.ts';

/**
 * A failed call. Its message is for the assistant; `cause` has the underlying error, which is logged and never sent.
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly status: number;
  /** The code of the problem that the REST interface reported. */
  readonly code: ProblemDocument['code'] | undefined;

  constructor(
    status: number,
    message: string,
    { code, ...options }: ErrorOptions & { readonly code?: ProblemDocument['code'] } = {},
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

/** One request too many in a rate window of the tool server. */
export function tooManyFailure(waitSeconds: number): ToolFailure {
  return new ToolFailure(
    429,
    `Too many requests. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'}, then call again.`,
  );
}

/** An internal failure. The message says only what to do. */
export function ownFailure(status: Extract<ToolFailureStatus, 500 | 502 | 503 | 504>, cause?: unknown) {
  return new ToolFailure(status, toolFailures[status], { cause });
}

/**
 * What an assistant is told about an unsuccessful response. A problem with a status below 500 concerns the request or
 * the account, so it is passed on. From 500 on, the content concerns internals and is replaced with a fixed sentence.
 */
export function failureOfAnswer({ status, headers, body }: Omit<RestAnswer, 'operation'>): ToolFailure {
  if (status >= 500 && status < 600) {
    return new ToolFailure(status, ownFailure(ownStatusOf(status)).message);
  }
  if (status < 400) {
    return ownFailure(502);
  }
  const { data: problem } = problemDocument.safeParse(body);
  return problem
    ? new ToolFailure(status, sentenceOf(problem, headers['retry-after']), { code: problem.code })
    : new ToolFailure(status, strangerSentence(status));
}

function ownStatusOf(status: number): 500 | 502 | 503 | 504 {
  return status === 502 || status === 503 || status === 504 ? status : 500;
}

/** For a refusal by a server between us and the gateway, which does not have our format. */
function strangerSentence(status: number): string {
  return `The request was rejected with status ${status}. Do not retry; tell the user.`;
}

/** Removes the final period, so that the text can become part of a sentence. */
function clause(text: string): string {
  return text.replace(/[\s.]+$/, '');
}

function sentenceOf(problem: ProblemDocument, retryAfter: string | undefined): string {
  switch (problem.code) {
    case 'invalid_email_address':
      return `The email address is not valid: ${clause(problem.detail ?? problem.title)}. Correct it and call again; nothing was charged.`;
    case 'credits_exhausted':
      return creditsSentence(problem);
    case 'rate_limited':
    case 'too_many_failed_attempts':
    case 'too_many_requests':
      return `${clause(problem.title)}. Wait ${inWords(retryAfter)}, then call again. Nothing was charged.`;
    case 'idempotency_key_in_use':
      return `The same call is still in progress. Wait ${inWords(retryAfter)}, then call again. This response was not charged.`;
    case 'price_above_limit':
      return 'The list costs more than `max_credits`. Tell the user the price, which is `cost_max` of svc_get_list_validation, and call again with that number after a yes. Nothing was charged.';
    case 'job_started':
      return 'The list has already been started. Follow it with svc_get_list_validation. Nothing more was charged.';
    case 'job_not_found':
      return 'The account has no such list, or it was deleted. Check `job_id`.';
    case 'search_not_found':
      return 'The account has no such search, or it was deleted. Begin one with svc_search_people.';
    case 'invalid_cursor':
      return 'This cursor is not of this search. Send `next_cursor` of the previous page unchanged.';
    case 'too_many_unstarted_jobs':
      return 'Too many lists of the account wait to be started. Start one, or ask the user to delete some in the Mailproof application. Nothing was charged.';
    case 'too_many_jobs':
      return 'Too many lists of the account are in progress. Wait until one ends, then call again. Nothing was charged.';
    case 'preview_costs_credits':
      return `The account has used the free previews of its billing cycle, so this search costs ${problem.required ?? prices.peoplePreview} credits. Ask the user; after a yes, call again with that number as \`max_credits\`. Nothing was charged.`;
    case 'unknown_filter_value':
      // The arguments of the tool are the members of `filters`.
      return `${clause(problem.title)}: ${clause(problem.detail ?? '').replaceAll('/filters/', '')}. Nothing was searched or charged.`;
    case 'assistant_refused':
      return `${clause(problem.detail ?? problem.title)}.`;
    default:
      return `${[problem.title, problem.detail ?? ''].map(clause).filter(Boolean).join(': ')}.`;
  }
}

function creditsSentence({ required, available }: ProblemDocument): string {
  const counts =
    required === undefined || available === undefined ? '' : `: ${required} needed, ${available} available`;
  return `${problemKinds.credits_exhausted.title}${counts}. Ask the user to add credits in the Mailproof application, or wait for the next billing cycle. Nothing was charged.`;
}

/** A `Retry-After` in seconds, as words; anything else counts as one second, the length of the rate window. */
function inWords(retryAfter: string | undefined): string {
  const seconds = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 1;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
