import type { components } from './generated/schema.d.ts';

type ProblemBody = components['schemas']['Problem'];

export type ProblemCode = ProblemBody['code'];

/** An answer that says no, as the API words it (RFC 9457), or the lack of an answer. */
export class ProblemError extends Error {
  /** Undefined where nothing of ours answered. */
  readonly code: ProblemCode | undefined;
  readonly status: number | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** The operator finds the request under this id. */
  readonly requestId: string | undefined;
  /** When it may be tried again, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;
  /** Which members of what was sent are wrong, and how. */
  readonly faults: NonNullable<ProblemBody['errors']>;

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
  }
}

/** What an answer other than a success says. */
export async function problemOf(response: Response): Promise<ProblemError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const retryAfterMs = retryAfter > 0 ? retryAfter * 1_000 : undefined;
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const body = isProblem ? ((await response.json().catch(() => undefined)) as ProblemBody) : undefined;
  return new ProblemError(
    body
      ? { ...body, retryAfterMs }
      : {
          title: `The server answered with status ${response.status}.`,
          status: response.status,
          retryAfterMs,
        },
  );
}

/** Any error in the form in which people are told. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  return hasNoAnswer(error)
    ? new ProblemError({
        title: 'Mailproof did not answer',
        detail: 'Check your connection, then try again.',
      })
    : new ProblemError({
        title: 'Something went wrong',
        detail: error instanceof Error ? error.message : String(error),
      });
}

/** `fetch` fails with a `TypeError` where nobody answers, and with what its deadline says where that takes too long. */
function hasNoAnswer(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}
