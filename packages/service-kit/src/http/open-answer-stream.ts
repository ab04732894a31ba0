import type { Dispatcher } from 'undici';
import type { OctetAnswer } from './exchange-octets.ts';

/**
 * Sends a request whose answer is a stream. Nothing is buffered: each chunk is passed on as it arrives, at the pace of
 * the slower end. An answer with a status other than `success` is read as a whole.
 *
 * @throws the signal's reason, or any error from undici
 */
export async function openAnswerStream(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  success: number,
  signal: AbortSignal,
): Promise<OctetAnswer> {
  const { statusCode, headers, body } = await dispatcher.request({
    ...request,
    signal,
  } as Dispatcher.RequestOptions);
  const content = statusCode === success ? body : Buffer.from(await body.arrayBuffer());
  return { status: statusCode, headers, content };
}

/** Decodes a streamed answer into the text that its contract describes. */
export async function* textOf(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A byte order mark is part of the answer: a client that asks for a file with one gets it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of octets) {
    yield decoder.decode(piece, { stream: true });
  }
}
