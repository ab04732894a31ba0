import type { Dispatcher } from 'undici';
import type { JsonAnswer } from './exchange-json.ts';

/**
 * Sends a request whose answer is text, piece by piece. Nothing is buffered: a piece is passed on as it comes in, and the
 * slower end sets the pace. Any other status than `success` has JSON for its body.
 *
 * @throws the signal's reason, whatever undici throws, and SyntaxError where a refusal is no JSON
 */
export async function openAnswerStream(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  success: number,
  signal: AbortSignal,
  onHeaders?: (headers: Readonly<Record<string, string | string[] | undefined>>) => void,
): Promise<JsonAnswer> {
  const { statusCode, headers, body } = await dispatcher.request({
    ...request,
    signal,
  } as Dispatcher.RequestOptions);
  if (statusCode !== success) {
    return { status: statusCode, body: await body.json() };
  }
  onHeaders?.(headers);
  return { status: statusCode, body: textOf(body) };
}

async function* textOf(octets: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A byte order mark is a part of the answer: whoever asked for a file with one wants to get it.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of octets) {
    yield decoder.decode(piece, { stream: true });
  }
}
