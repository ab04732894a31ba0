import { limits } from '@mailproof/shared-types';
import type { Request } from 'express';
import { Problem } from '../problem.ts';
import { giveRequestTime } from './request-deadline.ts';

export interface BodyStreamOptions {
  /** The reader finds out by itself how the text is encoded. */
  readonly isUndecoded?: boolean;
  /** Time for the body, in milliseconds; what every request has where it is left out. */
  readonly msMax?: number;
  /** Time in which nothing of it comes, in milliseconds; for bodies that have a time of their own. */
  readonly silentMsMax?: number;
}

type BodyTimes = Required<Pick<BodyStreamOptions, 'msMax' | 'silentMsMax'>>;

/** Time in which the rest of a body that nobody wants any more is passed over, in milliseconds. */
const passedOverMsMax = 60_000;

/**
 * Opens a body that is read as it comes in. Whoever reads slowly slows the sender down, and whoever stops reading early
 * can still answer: what is left is passed over then, for a while.
 *
 * @throws Problem `body_too_large` at once where the length is given, and else at the octet that is one too many;
 *   `unsupported_media_type` for what is compressed, or no UTF-8 where that is wanted; `request_timeout` when it does not
 *   come in in time; `invalid_request` when the sender has gone
 */
export function openBodyStream(
  request: Request,
  bytesMax: number,
  { isUndecoded = false, msMax, silentMsMax = limits.uploadSilentMsMax }: BodyStreamOptions = {},
): AsyncIterable<Uint8Array> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: 'Send the body as it is, without `Content-Encoding`.',
    });
  }
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!isUndecoded && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported_media_type', { detail: 'Send the body encoded as UTF-8.' });
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw tooLarge(bytesMax);
  }
  if (msMax !== undefined) {
    // Its own deadlines answer; the connection is cut where even the answer does not help.
    giveRequestTime(request, msMax + passedOverMsMax);
  }
  return readBounded(request, bytesMax, msMax === undefined ? undefined : { msMax, silentMsMax });
}

async function* readBounded(
  request: Request,
  bytesMax: number,
  times: BodyTimes | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Destroying the request would close the connection ahead of the answer.
  const octets = request.iterator({ destroyOnReturn: false });
  const nextWithin = times === undefined ? () => octets.next() : timedReader(octets, times);
  try {
    for (;;) {
      const next = await nextWithin().catch((cause: unknown) => {
        throw cause instanceof Problem
          ? cause
          : new Problem('invalid_request', { detail: 'The body ended before it was complete.', cause });
      });
      if (next.done) {
        return;
      }
      const chunk = next.value as Uint8Array;
      bytes += chunk.length;
      if (bytes > bytesMax) {
        throw tooLarge(bytesMax);
      }
      yield chunk;
    }
  } finally {
    if (times !== undefined && !request.complete) {
      giveRequestTime(request, passedOverMsMax);
    }
    // Not waited for: behind a read in which nothing comes, this would not end either.
    void octets.return?.(undefined).then(
      // A body that was begun and is read no further would keep its connection open, even when the sender has gone.
      () => request.resume(),
      () => undefined,
    );
  }
}

/** Reads on until nothing came for too long or the whole took too long. What the reader takes for itself is not counted as silence. */
function timedReader<Octets>(
  octets: AsyncIterator<Octets>,
  { msMax, silentMsMax }: BodyTimes,
): () => Promise<IteratorResult<Octets>> {
  const endsAtMs = performance.now() + msMax;
  return async () => {
    const leftMs = Math.max(0, endsAtMs - performance.now());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const detail =
        leftMs < silentMsMax
          ? `The body has to arrive within ${msMax / 60_000} minutes.`
          : `Nothing of the body came for ${silentMsMax / 1_000} seconds.`;
      timer = setTimeout(
        () => reject(new Problem('request_timeout', { detail })),
        Math.min(leftMs, silentMsMax),
      );
    });
    try {
      return await Promise.race([octets.next(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('body_too_large', { detail: `The body may have ${bytesMax} octets.` });
}
