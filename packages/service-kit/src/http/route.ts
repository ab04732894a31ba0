import {
  accountParameter,
  type Operation,
  type OperationInput,
  type OperationResult,
  type RequestId,
  takesAccountParameter,
} from '@mailproof/shared-types';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { sendStream } from './answer-stream.ts';
import { openBodyStream, uploadPaceSetting } from './body-stream.ts';
import { problemOfIssues } from './problem-of.ts';
import { assertQueryIsText, assertText, assertUtf8, parseJson } from './request-text.ts';

/** What a handler may know of the request besides its parsed input. */
export interface RequestContext<Caller> {
  readonly caller: Caller;
  readonly requestId: RequestId;
  /** Aborted when the client has gone before the answer was sent. */
  readonly signal: AbortSignal;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
  setHeader(name: string, value: string | number | readonly string[]): void;
  /**
   * Runs `work` once the fate of the answer is known: whether all of it was handed to the operating system while the
   * client was there. That is what delivered means here; no server can know more (ADR 0023).
   */
  whenAnswered(work: (wasDelivered: boolean) => void): void;
}

/** Says who is calling, or throws a problem. Runs before the body is read. */
export type Guard<Caller> = (request: Request, response: Response) => Promise<Caller>;

export type Handler<Op extends Operation, Caller> = (
  input: OperationInput<Op>,
  context: RequestContext<Caller>,
) => Promise<OperationResult<Op>>;

/** An operation joined with the code that carries it out. */
export interface Route {
  readonly operation: Operation;
  readonly handle: RequestHandler;
}

/**
 * Mounts a handler from its contract: guard, body, parsing, handler, answer, in this order. Only what the contract's
 * answer describes leaves the house.
 */
export function route<Op extends Operation, Caller>(
  operation: Op,
  guard: Guard<Caller>,
  handler: Handler<Op, Caller>,
): Route {
  const readBody = bodyReader(operation);
  return {
    operation,
    handle: async (request, response) => {
      const caller = await guard(request, response);
      response.locals['isAdmitted'] = true;
      assertQueryIsText(request.url);
      const body = await readBody(request, response);
      const query = queryOf(operation, request);
      const input = parseInput(operation, { params: request.params, query, body });
      if (operation.bodyMediaType === undefined) {
        // After the schema, whose fault for an address says more than this one.
        assertText(body);
      }
      const result = await handler(input, contextOf(request, response, caller));
      const answer = z.parse(operation.success.schema, result);
      response.statusCode = operation.success.status;
      if (operation.success.mediaType === undefined) {
        sendJson(response, answer);
      } else {
        await sendStream(response, operation.success.mediaType, answer as AsyncIterable<string>);
      }
    },
  };
}

/** Not by Express's own `json`, which looks the media type up and parses it again for every answer. */
function sendJson(response: Response, answer: unknown): void {
  const text = JSON.stringify(answer);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.end(text);
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

/** A client that left early has closed the response already. */
function whenClosed(response: Response, work: () => void): void {
  if (response.closed) {
    work();
  } else {
    response.once('close', work);
  }
}

/** The session guard has read the account by now; the contract of the operation does not repeat it. */
function queryOf(operation: Operation, { query }: Request): unknown {
  if (!takesAccountParameter(operation)) {
    return query;
  }
  const { [accountParameter]: _account, ...others } = query;
  return others;
}

function parseInput<Op extends Operation>(
  operation: Op,
  given: { params: unknown; query: unknown; body: unknown },
): OperationInput<Op> {
  return {
    params: parsePart(operation.params, given.params, ':'),
    query: parsePart(operation.query, given.query, '?'),
    body: parsePart(operation.body, given.body, ''),
  } as OperationInput<Op>;
}

/** `prefix` tells members of the path and the query from those of the body, whose pointers have none. */
function parsePart(schema: z.core.$ZodType, given: unknown, prefix: string): unknown {
  const parsed = z.safeParse(schema, given);
  if (!parsed.success) {
    throw problemOfIssues(parsed.error, prefix);
  }
  return parsed.data;
}

/** Reads the JSON body of an operation, opens the stream of another type, or does nothing where it takes none. */
function bodyReader(operation: Operation): (request: Request, response: Response) => Promise<unknown> {
  if (operation.bodyBytesMax === 0) {
    return async () => undefined;
  }
  const {
    bodyMediaType = 'application/json',
    otherBodyMediaTypes = [],
    bodyIsUndecoded,
    bodyMsMax,
    bodySilentMsMax,
  } = operation;
  const mediaTypes = [bodyMediaType, ...otherBodyMediaTypes];
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
      throw noBody(operation.bodyMediaType === undefined ? 'one JSON object' : `\`${bodyMediaType}\``);
    }
    if (!request.is(mediaTypes)) {
      throw new Problem('unsupported_media_type', {
        detail: `Send \`Content-Type: ${mediaTypes.join('` or `')}\`.`,
      });
    }
    return read(request, response);
  };
}

function jsonReader(bytesMax: number): (request: Request, response: Response) => Promise<unknown> {
  // Not Express's own `json`, which replaces what is not UTF-8.
  const read = express.raw({ limit: bytesMax, type: () => true });
  return async (request, response) => {
    assertUtf8(request);
    await new Promise<void>((resolve, reject) => {
      read(request, response, error => (error === undefined ? resolve() : reject(error as Error)));
    });
    const octets = request.body as Uint8Array;
    if (octets.length === 0) {
      throw noBody('one JSON object');
    }
    return parseJson(octets);
  };
}

function noBody(expected: string): Problem {
  return new Problem('invalid_request', { detail: `The request has no body; send ${expected}.` });
}

function hasBody(request: Request): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}
