import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** A client that takes nothing for so long is given up, or one that takes so long over one piece, in milliseconds. */
const stalledMsMax = 60_000;
const pieceMsMax = 180_000;

/**
 * Sends an answer piece by piece, no faster than the client takes it. What goes wrong ahead of the first piece is
 * answered as a problem; later it can only break the connection off, so that nobody takes a part for the whole.
 */
export async function sendStream(
  response: Response,
  mediaType: string,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next().catch((error: unknown) => {
    // The name of a file is not for a problem.
    response.removeHeader('content-disposition');
    throw error;
  });
  response.setHeader('content-type', `${mediaType}; charset=utf-8`);
  // Proxies that collect answers before they pass them on, as nginx does, are asked not to.
  response.setHeader('x-accel-buffering', 'no');
  response.setTimeout(stalledMsMax, () => response.destroy());
  try {
    const pieces = rest(first, iterator, () => response.destroy());
    await pipeline(Readable.from(pieces, { objectMode: false }), response);
  } catch (error) {
    // Whoever has left needs no answer, and it is no fault of ours.
    if (!isPrematureClose(error)) {
      throw error;
    }
  }
}

async function* rest(
  first: IteratorResult<string>,
  iterator: AsyncIterator<string>,
  giveUp: () => void,
): AsyncGenerator<Buffer> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for (let next = first; !next.done; next = await iterator.next()) {
      // An octet now and then is taken as well, and would hold a page of rows in memory for days.
      timer = setTimeout(giveUp, pieceMsMax);
      yield Buffer.from(next.value, 'utf8');
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
