import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { assertText, Problem, parseJson } from '@mailproof/service-kit';
import { type AuthInfo, isJsonContentType, type McpHttpHandler } from '@modelcontextprotocol/server';
import express, {
  type Request as IncomingRequest,
  type Response as OutgoingResponse,
  type Response,
} from 'express';

/** Largest message that is read, in octets: a tool takes an address, and the protocol adds its own fields. */
const messageBytesMax = 65_536;

/** Deepest nesting of a message, in levels; messages of the protocol have fewer than ten. */
const depthMax = 64;

const readOctets = express.raw({ limit: messageBytesMax, type: () => true });

/** A message that cannot be read, as in JSON-RPC 2.0 section 5.1. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
  readonly code: -32700 | -32600;

  constructor(code: -32700 | -32600, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the one JSON-RPC message of a request. Batches were removed from the protocol in revision 2025-06-18, and would
 * let one request count for hundreds.
 *
 * @throws Problem if the body is not declared as JSON or is too large; `UnreadableMessage` if it is not a valid message
 */
export async function readMessage(
  request: IncomingRequest,
  response: Response,
): Promise<Record<string, unknown>> {
  if (!isJsonContentType(request.get('content-type') ?? null)) {
    throw new Problem('unsupported_media_type', { detail: 'Send `Content-Type: application/json`.' });
  }
  await new Promise<void>((resolve, reject) => {
    readOctets(request, response, error => (error === undefined ? resolve() : reject(error as Error)));
  });
  const message = parsed(request.body);
  if (Array.isArray(message)) {
    throw new UnreadableMessage(-32600, 'Batches are not supported: send one message per request.');
  }
  if (typeof message !== 'object' || message === null) {
    throw new UnreadableMessage(-32600, 'The request body is not a JSON-RPC message.');
  }
  if (isDeeperThan(message, depthMax)) {
    throw new UnreadableMessage(-32600, `The message is nested more than ${depthMax} levels deep.`);
  }
  return message as Record<string, unknown>;
}

/** Recursive readers of a message, such as the kit's schemas, have a limited stack. */
function isDeeperThan(message: object, levels: number): boolean {
  let level: unknown[] = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) {
      return true;
    }
    level = level
      .flatMap(value => Object.values(value as object))
      .filter(value => typeof value === 'object' && value !== null);
  }
  return false;
}

function parsed(octets: unknown): unknown {
  try {
    // For a request without a body, no octets were read.
    const message = parseJson(octets instanceof Uint8Array ? octets : new Uint8Array());
    assertText(message);
    return message;
  } catch (error) {
    const { code, detail } = error as Problem;
    const why = code === 'invalid_request' && detail ? detail : 'the request body is not valid JSON.';
    throw new UnreadableMessage(-32700, `Parse error: ${why}`);
  }
}

/** A parsed message, with what the kit needs from its request. */
interface ReadMessage {
  readonly message: Record<string, unknown>;
  readonly auth: AuthInfo;
  /** The media types that the client accepts, in the form that the kit expects. */
  readonly accept: string;
}

/**
 * Lets the kit handle one message. Unlike the kit's own adapter for Node, this does not serialize and reparse the
 * message, and sends a JSON response in one piece. That saves more than half of the kit's time for a call.
 */
export async function serveMessage(
  handler: Pick<McpHttpHandler, 'fetch'>,
  { message, auth, accept }: ReadMessage,
  request: IncomingRequest,
  response: OutgoingResponse,
): Promise<void> {
  const gone = new AbortController();
  const leave = () => {
    if (!response.writableFinished) {
      gone.abort();
    }
  };
  response.once('close', leave);
  if (response.closed) {
    leave();
  }
  const headers = headersOf(request.headers);
  headers.set('accept', accept);
  const answer = await handler.fetch(messageRequest(headers, gone.signal), {
    authInfo: auth,
    parsedBody: message,
  });
  response.status(answer.status);
  for (const [name, value] of answer.headers) {
    response.setHeader(name, value);
  }
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    await sendPieces(answer, response, gone.signal);
  } else {
    const text = await answer.text();
    response.setHeader('content-length', Buffer.byteLength(text));
    response.end(text);
  }
}

/** Sends events as they occur, no faster than the client reads them. */
async function sendPieces(
  { body }: globalThis.Response,
  response: OutgoingResponse,
  gone: AbortSignal,
): Promise<void> {
  try {
    for await (const piece of body ?? []) {
      if (!response.write(piece)) {
        await once(response, 'drain', { signal: gone });
      }
    }
  } catch {
    // The client has disconnected; the signal tells the kit.
  }
  response.end();
}

/**
 * Creates the request for the kit, without its body, which the kit gets parsed. The signal is set afterward: `Request`
 * would create a dependent signal, with weak references that V8 keeps until a full garbage collection (ADR 0050).
 */
function messageRequest(headers: Headers, gone: AbortSignal): Request {
  const request = new Request('http://localhost/mcp', { method: 'POST', headers });
  return Object.defineProperty(request, 'signal', { value: gone });
}

function headersOf(incoming: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    for (const each of [value ?? []].flat()) {
      headers.append(name, each);
    }
  }
  return headers;
}

const bothTypes = 'application/json, text/event-stream';

/**
 * Returns the media types that a client accepts in the form that the kit expects, which is both types by name. A
 * missing header and the range of all types alone mean the same (RFC 9110 section 12.5.1); generic HTTP clients send
 * one of the two.
 */
export function acceptedTypes(accept: string | undefined): string {
  return accept === undefined || /^\s*(\*\/\*)?\s*$/.test(accept) ? bothTypes : accept;
}
