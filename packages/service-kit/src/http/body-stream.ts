import { limits } from '@mailproof/shared-types';
import type { Request } from 'express';
import { Problem } from '../problem.ts';
import { giveRequestTime } from './connection-bounds.ts';
import { assertUtf8 } from './request-text.ts';

export interface BodyStreamOptions {
  /** Whether the reader detects the text's encoding. */
  readonly isUndecoded?: boolean;
  /** Time for the body, in milliseconds; the server's default for all requests if omitted. */
  readonly msMax?: number;
  /** Maximum time without data, in milliseconds; for bodies with their own `msMax`. */
  readonly silentMsMax?: number;
  /** Minimum rate of these bodies in bytes per second, averaged over `silentMsMax` of waiting; 0 disables the limit. */
  readonly bytesPerSecondMin?: number;
}

type BodyTimes = Required<Pick<BodyStreamOptions, 'msMax' | 'silentMsMax' | 'bytesPerSecondMin'>>;

/** The app setting that holds `bytesPerSecondMin` for all bodies. */
export const uploadPaceSetting = 'upload bytes per second min';

/** How long the unread rest of a body is discarded, in milliseconds. */
const passedOverMsMax = 60_000;

/**
 * Opens a body as a stream. A slow reader slows down the sender. A reader that stops early can still answer: the rest
 * is then discarded for a while.
 *
 * @throws Problem `body_too_large` immediately if the declared length exceeds the limit, otherwise at the first octet
 *   over the limit; `unsupported_media_type` if the body is compressed, or declares another charset where UTF-8 is
 *   required; `request_timeout` if the body is late or slow; `invalid_request` if the sender disconnects
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
      detail: 'Send the body unencoded, without `Content-Encoding`.',
    });
  }
  if (!isUndecoded) {
    assertUtf8(request);
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw tooLarge(bytesMax);
  }
  if (msMax !== undefined) {
    // The body's own deadlines answer the client; the connection is closed only if that answer cannot be sent.
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
  // Destroying the request would close the connection before the answer is sent.
  const octets: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  const nextWithin = times === undefined ? () => octets.next() : timedReader(octets, times);
  try {
    for (;;) {
      const next = await nextWithin().catch((cause: unknown) => {
        throw cause instanceof Problem
          ? cause
          : new Problem('invalid_request', { detail: 'The body was incomplete.', cause });
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
    // Not awaited: while a read is pending without data, this would not resolve either.
    void octets.return?.(undefined).then(
      // A body that is only partly read would keep its connection open, even after the sender disconnects.
      () => request.resume(),
      () => undefined,
    );
  }
}

/**
 * Stops reading when no octet arrives for too long, too few arrive, or the whole body takes too long. For the first
 * two, only time spent waiting for the client counts, not the reader's own work.
 */
function timedReader(
  octets: AsyncIterator<Uint8Array>,
  { msMax, silentMsMax, bytesPerSecondMin }: BodyTimes,
): () => Promise<IteratorResult<Uint8Array>> {
  const endsAtMs = performance.now() + msMax;
  const bytesMin = (bytesPerSecondMin * silentMsMax) / 1_000;
  // Totals of the current pace window, which ends after `silentMsMax` of waiting.
  let waitedMs = 0;
  let bytes = 0;
  return async () => {
    const sinceMs = performance.now();
    const bounds: readonly (readonly [number, string])[] = [
      [endsAtMs - sinceMs, `The body must arrive within ${msMax / 60_000} minutes.`],
      [silentMsMax, `No data arrived for ${silentMsMax / 1_000} seconds.`],
      [
        bytes < bytesMin ? silentMsMax - waitedMs : Number.POSITIVE_INFINITY,
        `The body arrived at less than ${bytesPerSecondMin} bytes per second for ${silentMsMax / 1_000} seconds. Retry over a faster connection.`,
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
  return new Problem('body_too_large', { detail: `The body can have at most ${bytesMax} octets.` });
}
