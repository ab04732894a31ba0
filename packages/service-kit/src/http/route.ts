import {
  accountParameter,
  bodyMediaTypesOf,
  type Operation,
  type OperationInput,
  type OperationResult,
  type RequestId,
  takesAccountParameter,
} from '@mailproof/shared-types';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { plainIssue } from '../plain-issue.ts';
import { Problem } from '../problem.ts';
import { sendStream } from './answer-stream.ts';
import { openBodyStream, uploadPaceSetting } from './body-stream.ts';
import type { Octets } from './exchange-octets.ts';
import { problemOfIssues } from './problem-of.ts';
import { assertQueryIsText, assertText, assertUtf8, parseJson } from './request-text.ts';

/** What a handler can see of the request in addition to its parsed input. */
export interface RequestContext<Caller> {
  readonly caller: Caller;
  readonly requestId: RequestId;
  /** Aborted if the client disconnects before the answer is sent. */
  readonly signal: AbortSignal;
  /** Returns a request header by its lower-case name. */
  header(name: string): string | undefined;
  setHeader(name: string, value: string | number | readonly string[]): void;
  /**
   * Runs `work` when the response closes. An answer counts as delivered if all of it was handed to the operating system
   * while the client was connected; a server cannot know more (ADR 0023).
   */
  whenAnswered(work: (wasDelivered: boolean) => void): void;
}

/** Identifies the caller, or throws a problem. Runs before the body is read. */
export type Guard<Caller> = (request: Request, response: Response) => Promise<Caller>;

export type Handler<Op extends Operation, Caller> = (
  input: OperationInput<Op>,
  context: RequestContext<Caller>,
) => Promise<OperationResult<Op>>;

/** An operation and the code that handles it. */
export interface Route {
  readonly operation: Operation;
  readonly handle: RequestHandler;
}

/** Forwards a request with its unparsed body to its owner, and returns the answer. */
export type Forwarder<Op extends Operation, Caller> = (
  input: Omit<OperationInput<Op>, 'body'> & { readonly body: Octets | undefined },
  context: RequestContext<Caller>,
) => Promise<Octets>;

/**
 * Mounts a handler from its contract: guard, body, parsing, handler, answer, in this order. The answer contains only
 * what the contract describes.
 */
export function route<Op extends Operation, Caller>(
  operation: Op,
  guard: Guard<Caller>,
  handler: Handler<Op, Caller>,
): Route {
  const readBody = bodyReader(operation);
  const readTarget = targetReader(operation);
  return {
    operation,
    handle: async (request, response) => {
      const caller = await admit(guard, request, response);
      const octets = await readBody(request, response);
      const isJson = Buffer.isBuffer(octets);
      const body = isJson ? parseJson(octets) : octets;
      const input = {
        ...readTarget(request),
        body: parsePart(operation.body, body, ''),
      } as OperationInput<Op>;
      if (isJson) {
        // After the schema, whose error for an email address is more specific.
        assertText(body);
      }
      const result = await handler(input, contextOf(request, response, caller));
      const answer = z.parse(operation.success.schema, result);
      const isStream = operation.success.mediaType !== undefined;
      await send(operation, response, isStream ? (answer as AsyncIterable<string>) : JSON.stringify(answer));
    },
  };
}

/**
 * Mounts an operation that another service answers: guard, body limits, path and query, and nothing else. The owner
 * parses the body and checks its own answer (ADR 0064).
 */
export function forwardingRoute<Op extends Operation, Caller>(
  operation: Op,
  guard: Guard<Caller>,
  forward: Forwarder<Op, Caller>,
): Route {
  const readBody = bodyReader(operation);
  const readTarget = targetReader(operation);
  return {
    operation,
    handle: async (request, response) => {
      const caller = await admit(guard, request, response);
      const body = await readBody(request, response);
      const target = targetOrProblem(readTarget, request, body);
      const answer = await forward({ ...target, body }, contextOf(request, response, caller));
      await send(operation, response, answer);
    },
  };
}

async function admit<Caller>(guard: Guard<Caller>, request: Request, response: Response): Promise<Caller> {
  const caller = await guard(request, response);
  response.locals['isAdmitted'] = true;
  assertQueryIsText(request.url);
  return caller;
}

/** @throws the problem that `route` would throw: the problem of a body that is not JSON comes first */
function targetOrProblem<Target>(
  readTarget: (request: Request) => Target,
  request: Request,
  body: Octets | undefined,
): Target {
  try {
    return readTarget(request);
  } catch (problem) {
    if (Buffer.isBuffer(body)) {
      parseJson(body);
    }
    throw problem;
  }
}

async function send(
  { success: { status, mediaType = 'application/json' } }: Operation,
  response: Response,
  answer: string | Buffer | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  response.statusCode = status;
  if (typeof answer !== 'string' && !Buffer.isBuffer(answer)) {
    await sendStream(response, mediaType, answer);
    return;
  }
  // Not Express's own `json`, which resolves and parses the media type for every answer.
  response.setHeader('content-type', `${mediaType}; charset=utf-8`);
  response.setHeader('content-length', Buffer.byteLength(answer));
  response.end(answer);
}

function contextOf<Caller>(request: Request, response: Response, caller: Caller): RequestContext<Caller> {
  return {
    caller,
    requestId: response.locals['requestId'] as RequestId,
    signal: goneSignalOf(response),
    header: name => request.get(name),
    setHeader: (name, value) => void response.setHeader(name, value),
    whenAnswered: work => whenClosed(response, () => work(response.writableFinished)),
  };
}

function goneSignalOf(response: Response): AbortSignal {
  const gone = new AbortController();
  whenClosed(response, () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  });
  return gone.signal;
}

/** Runs `work` when the response closes, or now if the client has already disconnected. */
function whenClosed(response: Response, work: () => void): void {
  if (response.closed) {
    work();
  } else {
    response.once('close', work);
  }
}

/** Parses the path and the query. */
function targetReader<Op extends Operation>(operation: Op) {
  const queryOf = queryReader(operation);
  return (request: Request) =>
    ({
      params: parsePart(operation.params, request.params, ':'),
      query: parsePart(operation.query, queryOf(request), '?'),
    }) as Omit<OperationInput<Op>, 'body'>;
}

/** Leaves out the account parameter: the session guard has read it, and the operation's contract does not repeat it. */
function queryReader(operation: Operation): (request: Request) => unknown {
  return takesAccountParameter(operation)
    ? ({ query: { [accountParameter]: _account, ...others } }) => others
    : ({ query }) => query;
}

/** `prefix` distinguishes members of the path and the query from those of the body, whose pointers have no prefix. */
function parsePart(schema: z.core.$ZodType, given: unknown, prefix: string): unknown {
  const parsed = z.safeParse(schema, given, { error: plainIssue });
  if (!parsed.success) {
    throw problemOfIssues(parsed.error, prefix);
  }
  return parsed.data;
}

/** Reads the octets of a JSON body, or opens the stream of another media type; does nothing if there is no body. */
function bodyReader(
  operation: Operation,
): (request: Request, response: Response) => Promise<Octets | undefined> {
  if (operation.bodyBytesMax === 0) {
    return async (request, response) => {
      if (takesParameters(operation) && hasBody(request)) {
        await assertEmptyBody(request, response);
      }
      return undefined;
    };
  }
  const { bodyIsUndecoded, bodyMsMax, bodySilentMsMax } = operation;
  const mediaTypes = bodyMediaTypesOf(operation);
  const read =
    operation.bodyMediaType === undefined
      ? jsonReader(operation.bodyBytesMax)
      : async (request: Request) =>
          openBodyStream(request, operation.bodyBytesMax, {
            ...(bodyIsUndecoded && { isUndecoded: true }),
            ...(bodyMsMax !== undefined && { msMax: bodyMsMax }),
            ...(bodySilentMsMax !== undefined && { silentMsMax: bodySilentMsMax }),
            bytesPerSecondMin: (request.app.get(uploadPaceSetting) as number | undefined) ?? 0,
          });
  return async (request, response) => {
    if (!hasBody(request)) {
      throw noBody(operation.bodyMediaType === undefined ? 'one JSON object' : `\`${mediaTypes[0]}\``);
    }
    if (!request.is([...mediaTypes])) {
      throw new Problem('unsupported_media_type', {
        detail: `Send \`Content-Type: ${mediaTypes.join('` or `')}\`.`,
      });
    }
    return read(request, response);
  };
}

function jsonReader(bytesMax: number): (request: Request, response: Response) => Promise<Buffer> {
  // Not Express's own `json`, which replaces invalid UTF-8.
  const read = express.raw({ limit: bytesMax, type: () => true });
  return async (request, response) => {
    assertUtf8(request);
    await new Promise<void>((resolve, reject) => {
      read(request, response, error => (error === undefined ? resolve() : reject(error as Error)));
    });
    const octets = request.body as Buffer;
    if (octets.length === 0) {
      throw noBody('one JSON object');
    }
    return octets;
  };
}

const readEmptyBody = express.raw({ limit: 1_000, type: () => true });

/**
 * Whether a client could put into a body what belongs into the query. Links in mails are not meant: mail programs send
 * the body of RFC 8058 with them.
 */
function takesParameters({ method, access, query }: Operation): boolean {
  const isForClients = access.kind === 'apiKey' || access.kind === 'session';
  return (
    method !== 'get' && isForClients && query instanceof z.ZodObject && Object.keys(query.shape).length > 0
  );
}

/**
 * Refuses a body that an operation would ignore, such as one with the highest price for a start. Many clients send an
 * empty object if there is nothing to send.
 */
async function assertEmptyBody(request: Request, response: Response): Promise<void> {
  const octets = await new Promise<Buffer | undefined>(resolve => {
    readEmptyBody(request, response, error =>
      resolve(error === undefined ? (request.body as Buffer) : undefined),
    );
  });
  if (octets === undefined || !/^\s*(?:\{\s*\}|null)?\s*$/.test(octets.toString('latin1'))) {
    throw new Problem('invalid_request', {
      detail: 'This operation takes no request body. Its parameters are in the path and the query.',
    });
  }
}

function noBody(expected: string): Problem {
  return new Problem('invalid_request', { detail: `The request body is missing; send ${expected}.` });
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}
