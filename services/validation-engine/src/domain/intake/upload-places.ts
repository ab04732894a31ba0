import type { Admitted } from '../admission.ts';
import { IntakeFault } from './intake-fault.ts';

/** Takes an upload in from a place of its own, or turns it away where there is none. */
export type AdmitUpload = <Result>(
  octets: AsyncIterable<Uint8Array>,
  work: (octets: AsyncIterable<Uint8Array>) => Promise<Result>,
  /** Lets it keep its place however slowly it comes in: the wait is not its sender's. */
  options?: { readonly keepsPlace: boolean },
) => Promise<Admitted<Result>>;

export interface UploadPlacesOptions {
  readonly placesMax: number;
  /** A sender who was waited for this long, in milliseconds, and has sent less than so much a second, gives way. */
  readonly patienceMs: number;
  readonly perSecondMin: number;
  readonly nowMs: () => number;
  /** Resolves when the next piece of an upload may be read. */
  readonly nextTurn: () => Promise<void>;
}

/** An upload that is coming in. What we take for ourselves is not counted against its sender. */
interface Upload {
  readonly keepsPlace: boolean;
  octets: number;
  waitedMs: number;
  /** Since when its sender is waited for; undefined while we are at work. */
  waitingSinceMs: number | undefined;
  readonly giveWay: () => void;
}

/**
 * Lets so many uploads come in at once that they fit into memory. Without more than that, a few senders who send next to
 * nothing could keep everybody else's files out: so whoever is slowest gives way where somebody finds no place.
 */
export function createUploadPlaces(options: UploadPlacesOptions): AdmitUpload {
  const { placesMax } = options;
  const uploads = new Set<Upload>();
  return async (octets, work, { keepsPlace } = { keepsPlace: false }) => {
    if (uploads.size >= placesMax) {
      const slowest = slowestOf(uploads, options);
      if (!slowest) {
        return { kind: 'turned_away' };
      }
      uploads.delete(slowest);
      slowest.giveWay();
    }
    const given = Promise.withResolvers<never>();
    // It may be given away when nobody waits for the sender any more.
    given.promise.catch(() => undefined);
    const upload: Upload = {
      keepsPlace,
      octets: 0,
      waitedMs: 0,
      waitingSinceMs: undefined,
      giveWay: () =>
        given.reject(
          new IntakeFault(
            'request_timeout',
            'Others wait for a place, and this file came in too slowly. Send it again over a faster connection.',
          ),
        ),
    };
    uploads.add(upload);
    try {
      return { kind: 'done', result: await work(counted(octets, upload, given.promise, options)) };
    } finally {
      uploads.delete(upload);
    }
  };
}

async function* counted(
  octets: AsyncIterable<Uint8Array>,
  upload: Upload,
  givenAway: Promise<never>,
  { nowMs, nextTurn }: Pick<UploadPlacesOptions, 'nowMs' | 'nextTurn'>,
): AsyncGenerator<Uint8Array> {
  const sender = octets[Symbol.asyncIterator]();
  try {
    for (;;) {
      const sinceMs = nowMs();
      upload.waitingSinceMs = sinceMs;
      const next = await Promise.race([sender.next(), givenAway]);
      upload.waitedMs += nowMs() - sinceMs;
      upload.waitingSinceMs = undefined;
      if (next.done) {
        return;
      }
      upload.octets += next.value.length;
      // Pieces of several uploads that arrive together would otherwise be read together, and hold up single answers.
      await nextTurn();
      yield next.value;
    }
  } finally {
    // Not waited for: behind a read in which nothing comes, this would not end either.
    void sender.return?.().catch(() => undefined);
  }
}

function slowestOf(
  uploads: ReadonlySet<Upload>,
  { patienceMs, perSecondMin, nowMs }: UploadPlacesOptions,
): Upload | undefined {
  const perSecondOf = ({ octets, waitedMs, waitingSinceMs = nowMs() }: Upload) =>
    octets / ((waitedMs + nowMs() - waitingSinceMs) / 1_000);
  return [...uploads]
    .filter(
      ({ keepsPlace, waitedMs, waitingSinceMs }) =>
        !keepsPlace && waitingSinceMs !== undefined && waitedMs + nowMs() - waitingSinceMs >= patienceMs,
    )
    .filter(upload => perSecondOf(upload) < perSecondMin)
    .sort((one, other) => perSecondOf(one) - perSecondOf(other))[0];
}
