import { Client, errors } from '@opensearch-project/opensearch';

/** Where the search engine is, and how this service signs in. */
export interface EngineLocation {
  readonly url: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Certificates in PEM that the engine's one is checked against, instead of those that Node trusts. */
  readonly ca: string | undefined;
}

interface EngineRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** Objects that are sent as lines, for `_bulk` and `_msearch`. */
  readonly lines?: readonly unknown[];
  readonly timeoutMs?: number;
}

export interface SearchEngine {
  /** Sends a request once; throws `EngineFailure`. */
  send<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    request?: EngineRequest,
  ): Promise<Answer>;
  close(): Promise<void>;
}

/** The engine did not do what was asked. Its text names no value of the request: those can be names of people. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  readonly isLate: boolean;
  /** The type of error, in the engine's words; undefined if it gave none. */
  readonly type: string | undefined;

  constructor(
    text: string,
    {
      status,
      isLate = false,
      type,
    }: { status?: number | undefined; isLate?: boolean; type?: string | undefined } = {},
  ) {
    super(text);
    this.status = status;
    this.isLate = isLate;
    this.type = type;
  }
}

/** What the engine tells about a failure. */
export interface ToldError {
  readonly type?: unknown;
  readonly root_cause?: readonly { readonly type?: unknown }[];
}

/** Returns the failure that an answer tells. */
export function toldFailure(status: number | undefined, told: ToldError | undefined): EngineFailure {
  // Such as `too_many_nested_clauses`, of which the type says only that a search failed.
  const found = told?.root_cause?.[0]?.type ?? told?.type;
  const type = typeof found === 'string' ? found : undefined;
  return new EngineFailure(`The search engine answered ${status}${type ? ` (${type})` : ''}.`, {
    status,
    type,
  });
}

const requestTimeoutMs = 30_000;

export function openEngine({ url, user, password, ca }: EngineLocation): SearchEngine {
  const client = new Client({
    node: url,
    ...(user !== undefined && password !== undefined && { auth: { username: user, password } }),
    ...(ca !== undefined && { ssl: { ca } }),
    // Callers decide what is repeated.
    maxRetries: 0,
  });
  return {
    async send<Answer>(method: string, path: string, request: EngineRequest = {}): Promise<Answer> {
      const { query, body, lines, timeoutMs = requestTimeoutMs } = request;
      try {
        const { body: answer } = await client.transport.request(
          {
            method,
            path,
            ...(query && { querystring: query }),
            ...(body !== undefined && { body: body as Record<string, unknown> }),
            ...(lines && { bulkBody: lines as Record<string, unknown>[] }),
          },
          { requestTimeout: timeoutMs },
        );
        return answer as Answer;
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: () => client.close(),
  };
}

function failureOf(error: unknown): EngineFailure {
  if (error instanceof errors.ResponseError) {
    const { statusCode, body } = error;
    return toldFailure(statusCode ?? undefined, (body as { error?: ToldError } | null)?.error);
  }
  if (error instanceof errors.TimeoutError) {
    return new EngineFailure('The search engine did not answer in time.', { isLate: true });
  }
  const code = (error as { code?: unknown }).code;
  const name = error instanceof Error ? error.name : 'unknown error';
  return new EngineFailure(
    `The search engine cannot be reached (${typeof code === 'string' ? code : name}).`,
  );
}
