import type { components } from './generated/schema.d.ts';

type ProblemBody = components['schemas']['Problem'];

export type ProblemCode = ProblemBody['code'];

/** An error response of the API (RFC 9457), or a missing response. */
export class ProblemError extends Error {
  /** Undefined if the response did not come from the API. */
  readonly code: ProblemCode | undefined;
  readonly status: number | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** The id by which the operator can find the request. */
  readonly requestId: string | undefined;
  /** The time until the request can be retried, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The invalid members of the request, each with what is wrong. */
  readonly faults: NonNullable<ProblemBody['errors']>;
  /** The other sheets of a workbook whose sheet has no list. */
  readonly sheets: readonly string[];

  constructor(facts: Partial<ProblemBody> & { title: string; retryAfterMs?: number | undefined }) {
    super(facts.detail ? `${facts.title}: ${facts.detail}` : facts.title);
    this.name = 'ProblemError';
    this.code = facts.code;
    this.status = facts.status;
    this.title = facts.title;
    this.detail = facts.detail;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.faults = facts.errors ?? [];
    this.sheets = facts.sheets ?? [];
  }
}

/** Converts an error response to a `ProblemError`. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const retryAfterMs = retryAfter > 0 ? retryAfter * 1_000 : undefined;
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const body = isProblem ? ((await response.json().catch(() => undefined)) as ProblemBody) : undefined;
  return new ProblemError(
    body
      ? { ...body, retryAfterMs }
      : {
          title: `The server responded with status ${response.status}`,
          // A proxy answers while the server restarts.
          ...(response.status >= 500 && { detail: 'Wait a minute, then try again.' }),
          status: response.status,
          retryAfterMs,
        },
  );
}

/** Converts any error to the form that is shown to users. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return hasNoAnswer(error)
    ? new ProblemError({
        title: 'Mailproof is not responding',
        detail: 'Check your connection, then try again.',
      })
    : new ProblemError({
        title: 'Something went wrong',
        detail: error instanceof Error ? error.message : String(error),
      });
}

/** Whether a record does not exist: it was deleted, or the id in the URL is incomplete. */
export function isMissing(error: unknown): boolean {
  const { status, code } = asProblem(error);
  return status === 404 || code === 'invalid_request';
}

/** `fetch` fails with a `TypeError` if no server answers, and with the reason of the abort signal after a timeout. */
function hasNoAnswer(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}
