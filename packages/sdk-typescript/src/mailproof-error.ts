import type { components } from './generated/schema.ts';

/** The problem document of a refused request (RFC 9457). */
export type ProblemDocument = components['schemas']['Problem'];

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Any failed request: refused by Mailproof, refused by a proxy in between, or without a response. */
export class MailproofError extends Error {
  override readonly name = 'MailproofError';
  /** HTTP status; undefined if there was no response, 0 if a browser hides that of a redirect. */
  readonly status: number | undefined;
  /** Stable code for programs, such as `credits_exhausted`; undefined if a proxy answered or nothing did. */
  readonly code: ProblemDocument['code'] | undefined;
  /** URL of the page that explains the code. */
  readonly type: string | undefined;
  readonly title: string | undefined;
  /** What is wrong with this request. */
  readonly detail: string | undefined;
  /** What to do about it. */
  readonly remedy: string | undefined;
  /** Quote this id when you ask the operator for help. */
  readonly requestId: string | undefined;
  /** The whole document, with `errors` for invalid fields and `required` and `available` credits. */
  readonly problem: ProblemDocument | undefined;
  /** How long the server asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The job that `validateList` had uploaded: it continues on the server if it was started. */
  readonly jobId: string | undefined;

  constructor(given: {
    readonly message?: string;
    readonly cause?: unknown;
    readonly response?: Response;
    readonly problem?: ProblemDocument | undefined;
    readonly jobId?: string;
  }) {
    const { response, problem, cause } = given;
    super(given.message ?? messageOf(response, problem), { cause });
    this.status = response?.status;
    this.code = problem?.code;
    this.type = problem?.type;
    this.title = problem?.title;
    this.detail = problem?.detail;
    this.remedy = problem?.remedy;
    this.requestId = problem?.requestId ?? response?.headers.get('x-request-id') ?? undefined;
    this.problem = problem;
    this.retryAfterMs = response && retryAfterOf(response);
    this.jobId = given.jobId;
  }
}

/** The error, with the job that it is about; a wait that took too long becomes one too. */
export function ofJob(error: unknown, jobId: string): unknown {
  if (error instanceof MailproofError) return Object.assign(error, { jobId });
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  return isTimeout ? new MailproofError({ message: error.message, cause: error, jobId }) : error;
}

/** `402 credits_exhausted: Not enough credits. Add credits, …` */
function messageOf(response?: Response, problem?: ProblemDocument): string {
  const answer = `${response?.status} ${problem?.code ?? ''}`.trim();
  const what = problem?.detail ?? problem?.title;
  const said = what === undefined || /[.?!]$/.test(what) ? what : `${what}.`;
  return [said === undefined ? answer : `${answer}: ${said}`, problem?.remedy].filter(Boolean).join(' ');
}

/** Reads the problem of a refused request; a proxy may send something other than a problem document. */
export async function problemOf(response: Response): Promise<MailproofError> {
  const body: unknown = await response.json().catch(() => undefined);
  const isProblem = typeof body === 'object' && body !== null && 'code' in body && 'status' in body;
  return new MailproofError({
    response,
    problem: isProblem ? (body as ProblemDocument) : undefined,
    ...(isRedirect(response) && { message: redirectMessage(response) }),
  });
}

function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || redirectStatuses.has(status);
}

function redirectMessage({ headers }: Response): string {
  const target = headers.get('location') ?? 'another URL';
  return `The base URL redirects to ${target}. Redirects are not followed: use the final URL.`;
}

export function asError(error: unknown): MailproofError {
  if (error instanceof MailproofError) return error;
  return new MailproofError({ message: `no response: ${reasonOf(error)}`, cause: error });
}

/** Runtimes say `fetch failed`, and why in the cause, such as `connect ECONNREFUSED 127.0.0.1:8080`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const { message: why, code } = (cause ?? {}) as { readonly message?: string; readonly code?: string };
  return [message, why || code].filter(Boolean).join(': ');
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
