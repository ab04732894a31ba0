import { type ProblemCode, type ProblemDocument, problemKinds } from '@mailproof/shared-types';

type Extra = Partial<Pick<ProblemDocument, 'errors' | 'required' | 'available' | 'required_scope'>>;

/**
 * A failure that clients may see. Its `detail` is for customers; the underlying error goes into `cause`, which is
 * logged and never sent.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string | undefined;
  readonly extra: Extra;
  /** True for an error that the sandbox plays: it is not a failure of the service. */
  readonly isSimulated: boolean;
  /** Headers of the answer, for example `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    options: {
      detail?: string;
      extra?: Extra;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
      isSimulated?: boolean;
    } = {},
  ) {
    super(options.detail ?? problemKinds[code].title, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
    this.isSimulated = options.isSimulated ?? false;
  }

  get status(): number {
    return problemKinds[this.code].status;
  }

  /** Returns the answer's body (RFC 9457). */
  toDocument(typeBase: string, requestId?: string): ProblemDocument {
    return {
      type: `${typeBase}${this.code}`,
      title: problemKinds[this.code].title,
      status: this.status,
      code: this.code,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...(requestId !== undefined && { requestId }),
      ...this.extra,
    };
  }
}

/** Creates a problem for an unavailable dependency: nothing was done, so the caller may retry. */
export function unavailable(detail: string, cause?: unknown, retryAfterSeconds = 1): Problem {
  return new Problem('service_unavailable', {
    detail,
    cause,
    headers: { 'retry-after': `${retryAfterSeconds}` },
  });
}
