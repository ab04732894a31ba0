import { limits } from '@mailproof/shared-types';
import type { Request } from 'express';
import { Problem } from '../problem.ts';
import { giveRequestTime } from './request-deadline.ts';
import { assertUtf8 } from './request-text.ts';

export interface BodyStreamOptions {
  /** The reader finds out by itself how the text is encoded. */
  readonly isUndecoded?: boolean;
  /** Time for the body, in milliseconds; what every request has where it is left out. */
  readonly msMax?: number;
  /** Time in which nothing of it comes, in milliseconds; for bodies that have a time of their own. */
  readonly silentMsMax?: number;
  /** Minimum rate of such a body in bytes per second, averaged over `silentMsMax` of waiting; 0 turns the limit off. */
  readonly bytesPerSecondMin?: number;
}

type BodyTimes = Required<Pick<BodyStreamOptions, 'msMax' | 'silentMsMax' | 'bytesPerSecondMin'>>;

/** The setting of an application that holds `bytesPerSecondMin` for all its bodies. */
export const uploadPaceSetting = 'upload bytes per second min';

/** Time in which the rest of a body that nobody wants any more is passed over, in milliseconds. */
const passedOverMsMax = 60_000;

/**
 * Opens a body that is read as it comes in. Whoever reads slowly slows the sender down, and whoever stops reading early
 * can still answer: what is left is passed over then, for a while.
 *
 * @throws Problem `body_too_large` at once where the length is given, and else at the octet that is one too many;
 *   `unsupported_media_type` for what is compressed, or no UTF-8 where that is wanted; `request_timeout` when it does not
 *   come in in time or comes too slowly; `invalid_request` when the sender has gone
 */
export function openBodyStream(
  request: Request,
  bytesMax: number,
  {
    isUndecoded = false,
    msMax,
    silentMsMax = limits.uploadSilentMsMax,
    bytesPerSecondMin = 0,
  }: BodyStreamOptions = {},
): AsyncIterable<Uint8Array> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: 'Send the body as it is, without `Content-Encoding`.',
    });
  }
  if (!isUndecoded) {
    assertUtf8(request);
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw tooLarge(bytesMax);
  }
  if (msMax !== undefined) {
    // Its own deadlines answer; the connection is cut where even the answer does not help.
    giveRequestTime(request, msMax + passedOverMsMax);
  }
  return readBounded(
    request,
    bytesMax,
    msMax === undefined ? undefined : { msMax, silentMsMax, bytesPerSecondMin },
  );
}

async function* readBounded(
  request: Request,
  bytesMax: number,
  times: BodyTimes | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Destroying the request would close the connection ahead of the answer.
  const octets: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
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
      const chunk = next.value;
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

/**
 * Reads on until nothing came for too long, too little came, or the whole took too long. Only time in which the client is
 * waited for counts as silence or as slowness, not what the reader takes for its own work.
 */
function timedReader(
  octets: AsyncIterator<Uint8Array>,
  { msMax, silentMsMax, bytesPerSecondMin }: BodyTimes,
): () => Promise<IteratorResult<Uint8Array>> {
  const endsAtMs = performance.now() + msMax;
  const bytesMin = (bytesPerSecondMin * silentMsMax) / 1_000;
  // Of the window in which the pace is measured, which ends after `silentMsMax` of waiting.
  let waitedMs = 0;
  let bytes = 0;
  return async () => {
    const sinceMs = performance.now();
    const bounds: readonly (readonly [number, string])[] = [
      [endsAtMs - sinceMs, `The body has to arrive within ${msMax / 60_000} minutes.`],
      [silentMsMax, `Nothing of the body came for ${silentMsMax / 1_000} seconds.`],
      [
        bytes < bytesMin ? silentMsMax - waitedMs : Number.POSITIVE_INFINITY,
        `The body arrived at less than ${bytesPerSecondMin} bytes per second for ${silentMsMax / 1_000} seconds. Send it again over a faster connection.`,
      ],
    ];
    const [leftMs, detail] = bounds.reduce((first, each) => (each[0] < first[0] ? each : first));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Problem('request_timeout', { detail })), Math.max(0, leftMs));
    });
    try {
      const next = await Promise.race([octets.next(), late]);
      waitedMs += performance.now() - sinceMs;
      bytes += next.done ? 0 : next.value.length;
      if (waitedMs >= silentMsMax && bytes >= bytesMin) {
        waitedMs = 0;
        bytes = 0;
      }
      return next;
    } finally {
      clearTimeout(timer);
    }
  };
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('body_too_large', { detail: `The body may have ${bytesMax} octets.` });
}
