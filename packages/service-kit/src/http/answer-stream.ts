import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * A client is disconnected if it reads nothing for `stalledMsMax`, or takes `pieceMsMax` for one chunk, in
 * milliseconds.
 */
const stalledMsMax = 60_000;
const pieceMsMax = 180_000;

/**
 * Streams an answer, no faster than the client reads it. Its media type is `mediaType` unless the handler set another. A failure before the first chunk is answered with a problem. A
 * later failure can only break the connection, so that the client does not mistake a part for the whole.
 */
export async function sendStream(
  response: Response,
  mediaType: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next().catch((error: unknown) => {
    // A problem document has no file name, and its own media type.
    response.removeHeader('content-disposition');
    response.removeHeader('content-type');
    throw error;
  });
  if (!response.hasHeader('content-type')) {
    response.setHeader('content-type', `${mediaType}; charset=utf-8`);
  }
  // Tells proxies that buffer responses, such as nginx, not to.
  response.setHeader('x-accel-buffering', 'no');
  response.setTimeout(stalledMsMax, () => response.destroy());
  try {
    const pieces = rest(first, iterator, () => response.destroy());
    await pipeline(Readable.from(pieces, { objectMode: false }), response);
  } catch (error) {
    // The client has disconnected, which is not an error.
    if (!isPrematureClose(error)) {
      throw error;
    }
  }
}

async function* rest(
  first: IteratorResult<string | Uint8Array>,
  iterator: AsyncIterator<string | Uint8Array>,
  giveUp: () => void,
): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for (let next = first; !next.done; next = await iterator.next()) {
      // A client that reads an octet now and then is not idle, but would keep a page of rows in memory for days.
      timer = setTimeout(giveUp, pieceMsMax);
      yield typeof next.value === 'string' ? Buffer.from(next.value, 'utf8') : next.value;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
    await iterator.return?.();
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
