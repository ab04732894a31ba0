import { type ProblemDocument, problemDocument, problemKinds } from '@mailproof/shared-types';
import type { RestAnswer } from './ask-as-account.ts';
import { ownFailure, ToolFailure } from './tool-failure.ts';

/**
 * What an assistant is told of an answer that is no success. A problem below 500 is about the request or the account, so
 * it is told; what stands in an answer from 500 on is about the inside, and replaced by a fixed sentence.
 */
export function failureOfAnswer({ status, headers, body }: Omit<RestAnswer, 'operation'>): ToolFailure {
  if (status >= 500 && status < 600) {
    return new ToolFailure(status, ownFailure(ownStatusOf(status)).message);
  }
  if (status < 400) {
    return ownFailure(502);
  }
  const problem = problemDocument.safeParse(body);
  return new ToolFailure(
    status,
    problem.success ? sentenceOf(problem.data, headers['retry-after']) : strangerSentence(status),
  );
}

function ownStatusOf(status: number): 500 | 502 | 503 | 504 {
  return status === 502 || status === 503 || status === 504 ? status : 500;
}

/** Somebody between us and the gateway refused, in a form that is not ours. */
function strangerSentence(status: number): string {
  return `The request was refused with status ${status}. Trying again does not help; tell the user.`;
}

/** Without the full stop at its end, so that a sentence can be made of it. */
function clause(text: string): string {
  return text.replace(/[\s.]+$/, '');
}

function sentenceOf(problem: ProblemDocument, retryAfter: string | undefined): string {
  switch (problem.code) {
    case 'invalid_email_address':
      return `The email address is not written as the standards require: ${clause(problem.detail ?? problem.title)}. Correct it and call again; nothing was charged.`;
    case 'credits_exhausted':
      return creditsSentence(problem);
    case 'rate_limited':
    case 'too_many_failed_attempts':
    case 'too_many_requests':
      return `${clause(problem.title)}. Wait ${inWords(retryAfter)}, then call again. Nothing was charged.`;
    case 'idempotency_key_in_use':
      return `The same call is still being worked on. Wait ${inWords(retryAfter)}, then call again. Nothing was charged for this answer.`;
    case 'assistant_refused':
      return `${clause(problem.detail ?? problem.title)}.`;
    default:
      return `${[problem.title, problem.detail ?? ''].map(clause).filter(Boolean).join(': ')}.`;
  }
}

function creditsSentence({ required, available }: ProblemDocument): string {
  const counts =
    required === undefined || available === undefined ? '' : `: ${required} needed, ${available} available`;
  return `${problemKinds.credits_exhausted.title}${counts}. Ask the user to top up in the Mailproof application, or wait for the next billing cycle. Nothing was charged.`;
}

/** A `Retry-After` of seconds, in words; anything else is taken for a second, the length of the rate window. */
function inWords(retryAfter: string | undefined): string {
  const seconds = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 1;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
