import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request as IncomingRequest, Response as OutgoingResponse } from 'express';

/** A parsed message, with what the kit needs from its request. */
export interface ReadMessage {
  readonly message: Record<string, unknown>;
  readonly auth: AuthInfo;
  /** The media types that the client accepts, in the kit's form. */
  readonly accept: string;
}

/**
 * Lets the kit answer one message. Unlike the kit's own adapter for Node, this one does not serialize and parse the
 * message again, and sends a JSON answer in one piece. That saves more than half of the time that the kit takes for a
 * call.
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
 * The request in the kit's form, without its body, which the kit gets parsed. The signal is set afterwards: `Request`
 * would make a dependent one, by weak references that V8 keeps until a full garbage collection (ADR 0050).
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
