import { type ProblemCode, type ProblemDocument, problemKinds } from '@mailproof/shared-types';

/** Marks an answer whose error the sandbox simulates, for clients and for the service that passes it on. */
export const simulatedHeader = 'x-mailproof-simulated';

type Extra = Partial<
  Pick<ProblemDocument, 'errors' | 'required' | 'available' | 'required_scope' | 'sheets'>
>;

/** What is wrong with one field of the request. */
export type FieldError = NonNullable<ProblemDocument['errors']>[number];

/**
 * A failure that clients may see. Its `detail` is for customers; without one, it is made of `errors`. The underlying error
 * goes into `cause`, which is logged and never sent.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly detail: string | undefined;
  readonly extra: Extra;
  /** True for an error that the sandbox simulates: it is not a failure of the service. */
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
    const detail = options.detail ?? detailOf(options.extra?.errors ?? []);
    super(detail ?? problemKinds[code].title, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.extra = options.extra ?? {};
    this.isSimulated = options.isSimulated ?? false;
    this.headers = { ...options.headers, ...(this.isSimulated && { [simulatedHeader]: 'true' }) };
  }

  get status(): number {
    return problemKinds[this.code].status;
  }

  /** Returns the answer's body (RFC 9457). */
  toDocument(typeBase: string, requestId?: string): ProblemDocument {
    const { title, status, remedy } = problemKinds[this.code];
    return {
      type: `${typeBase}${this.code}`,
      title,
      status,
      code: this.code,
      ...(this.detail !== undefined && { detail: this.detail }),
      remedy,
      ...(requestId !== undefined && { requestId }),
      ...this.extra,
    };
  }
}

function detailOf(errors: readonly FieldError[]): string | undefined {
  const text = errors.map(sentenceOf).join('; ');
  return text === '' || /[.?!]$/.test(text) ? text || undefined : `${text}.`;
}

const places: Readonly<Record<string, string>> = { '?': 'Query parameter', ':': 'Path parameter' };

/** `Query parameter limit: must be a number`; the pointer for a field of the body. */
function sentenceOf({ pointer, detail }: FieldError): string {
  const place = places[pointer.charAt(0)];
  if (place !== undefined && pointer.length > 1) {
    return `${place} ${pointer.slice(2)}: ${detail}`;
  }
  const whole = place === undefined ? 'The body' : 'The query';
  return pointer.length > 1 ? `${pointer}: ${detail}` : /^[a-z]/.test(detail) ? `${whole} ${detail}` : detail;
}

const simulatedRetryAfterSeconds = 1;

/** Creates the error of a sandbox address (`error-402@` and so on); `required` is how many credits it asks for. */
export function simulatedProblem(code: ProblemCode, required: number): Problem {
  const { status } = problemKinds[code];
  return new Problem(code, {
    detail: 'The sandbox simulates this error.',
    isSimulated: true,
    ...(code === 'credits_exhausted' && { extra: { required, available: 0 } }),
    ...((status === 429 || status === 503) && {
      headers: { 'retry-after': `${simulatedRetryAfterSeconds}` },
    }),
  });
}

/** Creates a problem for an unavailable dependency: nothing was done, so the caller may retry. */
export function unavailable(detail: string, cause?: unknown, retryAfterSeconds = 1): Problem {
  return new Problem('service_unavailable', {
    detail,
    cause,
    headers: { 'retry-after': `${retryAfterSeconds}` },
  });
}
