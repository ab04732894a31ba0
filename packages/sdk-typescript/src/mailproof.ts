import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type MaybeOptionalInit,
  type MethodResponse,
} from 'openapi-fetch';
import { exchange, mayPass, pause, type RetryPolicy } from './exchange.ts';
import { keyedOperations } from './generated/facts.ts';
import type { components, paths } from './generated/schema.ts';
import { MailproofError, ofJob } from './mailproof-error.ts';

/** The objects of the API by name, such as `Schema['ValidationJob']`. */
export type Schema = components['schemas'];

export interface MailproofOptions {
  /** URL of the installation, without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** By default five attempts within a minute. */
  readonly retries?: Partial<RetryPolicy>;
  /** Replaces the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** How long to wait for something that runs in the background. */
export interface WaitOptions<State> {
  /** In milliseconds; half an hour if omitted. */
  readonly deadlineMs?: number;
  /** Called with every state that is read, the final one included. */
  readonly onProgress?: (state: State) => void;
  readonly signal?: AbortSignal;
}

export interface DownloadOptions extends WaitOptions<Schema['Export']> {
  readonly format?: NonNullable<Schema['FileOptions']['format']>;
}

/** An address, or a record with an address; its other fields become columns of the results. */
export type Row =
  | string
  | ({ readonly email: string | null } & Readonly<
      Record<string, string | number | boolean | null | undefined>
    >);

/**
 * A file with a column of addresses, the addresses themselves, or rows. A stream and rows are read while they are sent,
 * so that a list is never in memory as a whole.
 */
export type List =
  | { readonly file: Blob | string | ReadableStream<Uint8Array> }
  | { readonly addresses: Iterable<string> }
  | { readonly rows: Iterable<Row> | AsyncIterable<Row> };

export type ListQuery = NonNullable<paths['/validation-jobs']['post']['parameters']['query']>;
/** How a list is read, and how long to wait for its validation: a day if `deadlineMs` is omitted. */
export type ListOptions = ListQuery &
  WaitOptions<Schema['ValidationJob']> & {
    /**
     * The `Idempotency-Key`; a random one if omitted. With the same key, a second call for the same list continues with
     * the job of the first one, and nothing is charged twice.
     */
    readonly idempotencyKey?: string;
  };

/** The methods and paths of the OpenAPI document, and what each takes and answers. */
type Method = 'get' | 'put' | 'post' | 'delete';
type PathWith<M extends Method> = ClientPathsWithMethod<Client<paths>, M>;
type Init<M extends Method, P extends PathWith<M>> = MaybeOptionalInit<paths[P], M>;
type Given<I> = undefined extends I ? [init?: I] : [init: I];
type Answer<M extends Method, P extends PathWith<M>, I = unknown> = MethodResponse<Client<paths>, M, P, I>;

const finalStates = new Set(['succeeded', 'failed', 'cancelled']);
const defaults = { attemptsMax: 5, deadlineMs: 60_000 };
const firstPollMs = 500;
const pollMsMax = 10_000;
const waitMsDefault = 30 * 60_000;
/** How long a wait goes without an answer. */
const silenceMsMax = 10 * 60_000;
/** Mail hosts that ask for a retry make a list wait for hours. */
const listWaitMsDefault = 24 * 3_600_000;
/** The server's own limit for an upload. */
const uploadMsMax = 20 * 60_000;

/** A client of the Mailproof API. It keeps nothing but its options, and can be shared. */
export class Mailproof {
  /** Sends any request of the API and returns its `response` too; retries, keys and errors are those of `send`. */
  readonly client: Client<paths>;
  readonly #root: string;
  readonly #apiKey: string;
  readonly #policy: RetryPolicy;
  readonly #fetch: (request: Request) => Promise<Response>;

  /** @throws TypeError if the URL or the key cannot be used; the message does not contain them */
  constructor({
    baseUrl,
    apiKey: givenKey,
    retries,
    fetch = request => globalThis.fetch(request),
  }: MailproofOptions) {
    // Keys are often read from files, which end with a line break.
    const apiKey = givenKey.trim();
    assertUsable(baseUrl, apiKey);
    this.#root = `${baseUrl.replace(/\/+$/, '')}/api/v1`;
    this.#apiKey = apiKey;
    this.#policy = { ...defaults, ...retries };
    this.#fetch = fetch;
    this.client = createClient<paths>({
      baseUrl: this.#root,
      headers: { 'X-Api-Key': apiKey },
      fetch: request => this.#exchange(() => request.clone()),
    });
    this.client.use({
      onRequest({ request, schemaPath }) {
        const takesKey = keyedOperations.has(`${request.method} ${schemaPath}`);
        if (takesKey && !request.headers.has('Idempotency-Key')) {
          request.headers.set('Idempotency-Key', crypto.randomUUID());
        }
      },
    });
  }

  /**
   * Sends a request and returns its answer, as in `send('get', '/me')`.
   *
   * @param init `params`, `body` and `signal`
   * @throws MailproofError
   */
  async send<M extends Method, P extends PathWith<M>, I extends Init<M, P>>(
    method: M,
    path: P,
    ...init: Given<I>
  ): Promise<Answer<M, P, I>> {
    const request = this.client.request as (...given: unknown[]) => Promise<{ data: Answer<M, P, I> }>;
    try {
      return (await request(method, path, ...init)).data;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new MailproofError({ message: 'The answer is not JSON; is the URL right?', cause: error });
    }
  }

  /** Yields the pages of a list, from the given `cursor` or the first one on; each is requested when it is needed. */
  async *pages<P extends PathWith<'get'>, I extends Init<'get', P>>(
    path: P,
    ...init: Given<I>
  ): AsyncGenerator<Answer<'get', P, I>, void, undefined> {
    const given = (init[0] ?? {}) as { params?: { query?: object } };
    for (let cursor: object | undefined = {}; cursor; ) {
      const params = { ...given.params, query: { ...given.params?.query, ...cursor } };
      const page = await this.#get<P, I>(path, { ...given, params });
      yield page;
      const { next_cursor: next } = page as { next_cursor?: string };
      cursor = next === undefined ? undefined : { cursor: next };
    }
  }

  /**
   * Reads a job, a run, an export or an import, less and less often, until its `state` or `status` is final, and returns
   * it. Look there: the work can also have `failed` or been `cancelled`. Once it has been read, an installation that does
   * not answer for ten minutes, such as during an update, does not end the wait.
   *
   * @throws DOMException `TimeoutError` after `deadlineMs`; the work itself continues
   */
  async wait<P extends PathWith<'get'>, I extends Init<'get', P>>(
    path: P,
    init: I,
    { deadlineMs = waitMsDefault, onProgress, signal }: WaitOptions<Answer<'get', P, I>> = {},
  ): Promise<Answer<'get', P, I>> {
    const endsAt = Date.now() + deadlineMs;
    let toleratedUntil = 0;
    let status: string | undefined;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMsMax, pollMs * 1.5)) {
      const read = await this.#get<P, I>(path, { ...(init as object), signal }).catch((error: unknown) => {
        if (Date.now() < toleratedUntil && error instanceof MailproofError && mayPass(error))
          return undefined;
        throw error;
      });
      if (read !== undefined) {
        toleratedUntil = Date.now() + silenceMsMax;
        onProgress?.(read);
        const { state, ...others } = read as { state?: string; status?: string };
        status = others.status ?? state;
        if (finalStates.has(status ?? '')) return read;
      }
      const leftMs = endsAt - Date.now();
      if (leftMs <= 0) {
        const place = filled(path, init);
        throw new DOMException(`Still ${status} after ${deadlineMs / 1_000} s: ${place}`, 'TimeoutError');
      }
      await pause(Math.min(leftMs, pollMs * (0.75 + Math.random() / 2)), signal);
    }
  }

  /** Uploads a list. Nothing is charged: the answer says what the job contains and what it costs at most. */
  async uploadList(list: List, { signal, ...options }: ListOptions = {}): Promise<Schema['ValidationJob']> {
    const { deadlineMs: _, onProgress: __, idempotencyKey = crypto.randomUUID(), ...query } = options;
    const reading = 'addresses' in list && { delimiter: ',', encoding: 'utf-8', has_header: 'true' };
    const text = 'addresses' in list ? asCsv(list.addresses) : undefined;
    const contentType = 'rows' in list ? 'application/x-ndjson' : 'text/csv';
    // Rows that can be read again are written again for each attempt.
    const bodyOf = () => ('rows' in list ? asLines(list.rows) : 'file' in list ? list.file : text);
    const isReadOnce =
      'rows' in list ? !Array.isArray(list.rows) : 'file' in list && list.file instanceof ReadableStream;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...reading, ...query })) search.set(name, String(value));
    const make = () => {
      const body = bodyOf();
      return new Request(`${this.#root}/validation-jobs?${search}`, {
        method: 'POST',
        headers: {
          'Content-Type': contentType,
          'Idempotency-Key': idempotencyKey,
          'X-Api-Key': this.#apiKey,
        },
        body,
        signal,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      } as RequestInit);
    };
    const attemptsMax = isReadOnce ? 1 : this.#policy.attemptsMax;
    const response = await this.#exchange(make, { policy: { attemptsMax, deadlineMs: uploadMsMax } });
    return (await response.json()) as Schema['ValidationJob'];
  }

  /**
   * Uploads a list, starts the job and waits until it has ended; it charges at most the job's `cost_max`.
   *
   * @param options `onProgress` gets the uploaded job first, before it is started
   * @throws MailproofError also after `deadlineMs`. Once the list is uploaded it has the `jobId`: `wait` for that job,
   * because a second call uploads and charges the list again, unless both have the same `idempotencyKey`.
   */
  async validateList(list: List, options: ListOptions = {}): Promise<Schema['ValidationJob']> {
    const { deadlineMs = listWaitMsDefault, onProgress, signal, idempotencyKey } = options;
    const uploaded = await this.uploadList(list, options);
    const { job_id } = uploaded;
    onProgress?.(uploaded);
    const init = { params: { path: { job_id } } };
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    try {
      await this.send('post', '/validation-jobs/{job_id}/start', {
        params: { ...init.params, header },
        ...(signal && { signal }),
      });
      return await this.wait('/validation-jobs/{job_id}', init, { ...options, deadlineMs });
    } catch (error) {
      throw signal?.aborted ? error : ofJob(error, job_id);
    }
  }

  /**
   * Exports rows to a file and returns it, as a stream of its octets.
   *
   * @param options `format` is `csv` (the default), `xlsx`, `ndjson`, or `as_uploaded` for the form in which a list came
   */
  async download(
    source: Schema['NewExport']['source'],
    { format, ...options }: DownloadOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { export_id } = await this.send('post', '/exports', {
      body: { target: 'csv', source, ...(format && { options: { format } }) },
    });
    const made = await this.wait('/exports/{export_id}', { params: { path: { export_id } } }, options);
    if (made.status !== 'succeeded') {
      throw new MailproofError({
        message: `The export ${export_id} ${made.status}: ${made.failure?.detail}`,
      });
    }
    return this.stream(`/exports/${export_id}/file`, options.signal);
  }

  /** Requests a file or an event stream of the API, such as `/statement.csv`. */
  async stream(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const init = { headers: { 'X-Api-Key': this.#apiKey }, ...(signal && { signal }) };
    const { body } = await this.#exchange(() => new Request(this.#root + path, init), { isStream: true });
    return body ?? new Blob([]).stream();
  }

  /** Sends what callers have typed already. */
  #get<P extends PathWith<'get'>, I>(path: P, init: object): Promise<Answer<'get', P, I>> {
    const send = this.send as (method: string, path: P, init: object) => Promise<Answer<'get', P, I>>;
    return send.call(this, 'get', path, init);
  }

  #exchange(
    make: () => Request,
    given: { policy?: RetryPolicy; isStream?: boolean } = {},
  ): Promise<Response> {
    return exchange({ make, fetch: this.#fetch, policy: this.#policy, ...given });
  }
}

/** The platform's own errors about such values contain them, and errors are logged. */
function assertUsable(baseUrl: string, apiKey: string): void {
  if (!/^[\x21-\x7e]*$/.test(apiKey)) {
    throw new TypeError('The API key contains a character that no key has. Copy the whole key again.');
  }
  const { username, password } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  if (username || password) {
    throw new TypeError('The URL of the installation must not contain a user or a password.');
  }
}

/** The path of a request, such as `/validation-jobs/vjob_1`. */
function filled(path: string, init: unknown): string {
  const { params } = init as { params?: { path?: Readonly<Record<string, unknown>> } };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => String(params?.path?.[name]));
}

const pieceCharacters = 65_536;

/** Writes one row a line (NDJSON), as fast as the stream is read. */
function asLines(rows: Iterable<Row> | AsyncIterable<Row>): ReadableStream<Uint8Array> {
  const source = (async function* () {
    yield* rows;
  })();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let lines = '';
      while (lines.length < pieceCharacters) {
        const next = await source.next();
        if (next.done) {
          if (lines !== '') controller.enqueue(encoder.encode(lines));
          controller.close();
          return;
        }
        lines += `${JSON.stringify(next.value)}\n`;
      }
      controller.enqueue(encoder.encode(lines));
    },
    async cancel() {
      await source.return(undefined);
    },
  });
}

/** Writes one column of quoted cells (RFC 4180). */
function asCsv(addresses: Iterable<string>): string {
  return ['email', ...addresses].map(cell => `"${cell.replaceAll('"', '""')}"\r\n`).join('');
}
