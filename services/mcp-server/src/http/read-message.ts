import { assertText, Problem, parseJson } from '@mailproof/service-kit';
import { isJsonContentType } from '@modelcontextprotocol/server';
import express, { type Request, type Response } from 'express';

/** Largest message that is read, in octets: a tool takes an address, and the protocol adds its own. */
const messageBytesMax = 65_536;

/** Levels of a message; those of the protocol have less than ten. */
const depthMax = 64;

const readOctets = express.raw({ limit: messageBytesMax, type: () => true });

/** A message that cannot be read, as JSON-RPC 2.0 section 5.1 has it. */
export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage';
  readonly code: -32700 | -32600;

  constructor(code: -32700 | -32600, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the one JSON-RPC message of a request. Batches were taken out of the protocol in its revision 2025-06-18, and
 * would let one request stand for hundreds.
 *
 * @throws Problem where it has another type or is too large, `UnreadableMessage` where it is no message
 */
export async function readMessage(request: Request, response: Response): Promise<Record<string, unknown>> {
  if (!isJsonContentType(request.get('content-type') ?? null)) {
    throw new Problem('unsupported_media_type', { detail: 'Send `Content-Type: application/json`.' });
  }
  await new Promise<void>((resolve, reject) => {
    readOctets(request, response, error => (error === undefined ? resolve() : reject(error as Error)));
  });
  const message = parsed(request.body);
  if (Array.isArray(message)) {
    throw new UnreadableMessage(-32600, 'Batches are not supported: send one message a request.');
  }
  if (typeof message !== 'object' || message === null) {
    throw new UnreadableMessage(-32600, 'The request body is not a JSON-RPC message.');
  }
  if (isDeeperThan(message, depthMax)) {
    throw new UnreadableMessage(-32600, `The message is nested more than ${depthMax} levels deep.`);
  }
  return message as Record<string, unknown>;
}

/** Whoever walks through a message, as the kit's schemas do, has a stack that ends. */
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
    // A request without a body has none that was read.
    const message = parseJson(octets instanceof Uint8Array ? octets : new Uint8Array());
    assertText(message);
    return message;
  } catch (error) {
    const { code, detail } = error as Problem;
    const why = code === 'invalid_request' && detail ? detail : 'the request body is not valid JSON.';
    throw new UnreadableMessage(-32700, `Parse error: ${why}`);
  }
}
