import type { Admitted } from '../concurrency/in-flight.ts';
import { IntakeFault } from './intake-fault.ts';

/** Accepts an upload if there is a slot for it, or refuses it. */
export type AdmitUpload = <Result>(
  octets: AsyncIterable<Uint8Array>,
  work: (octets: AsyncIterable<Uint8Array>) => Promise<Result>,
  /** Lets the upload keep its slot however slow it is, because its sender does not cause the wait. */
  options?: { readonly keepsSlot: boolean },
) => Promise<Admitted<Result>>;

export interface UploadSlotsOptions {
  readonly slotsMax: number;
  /**
   * A sender gives way once it has kept us waiting for `patienceMs` milliseconds at less than `perSecondMin` octets per
   * second.
   */
  readonly patienceMs: number;
  readonly perSecondMin: number;
  readonly nowMs: () => number;
  /** Resolves when the next chunk of an upload may be read. */
  readonly nextTurn: () => Promise<void>;
}

/** An upload in progress. Our own processing time does not count against its sender. */
interface Upload {
  readonly keepsSlot: boolean;
  octets: number;
  waitedMs: number;
  /** When the current wait for the sender started; undefined while we are processing. */
  waitingSinceMs: number | undefined;
  readonly giveWay: () => void;
}

/**
 * Limits concurrent uploads so that they fit into memory. With that limit alone, a few senders that send almost nothing
 * could block all other uploads, so the slowest upload is aborted if another one finds no slot.
 */
export function createUploadSlots(options: UploadSlotsOptions): AdmitUpload {
  const { slotsMax } = options;
  const uploads = new Set<Upload>();
  return async (octets, work, { keepsSlot } = { keepsSlot: false }) => {
    if (uploads.size >= slotsMax) {
      const slowest = slowestOf(uploads, options);
      if (!slowest) {
        return { kind: 'turned_away' };
      }
      uploads.delete(slowest);
      slowest.giveWay();
    }
    const given = Promise.withResolvers<never>();
    // It may reject after its upload has stopped waiting for it.
    given.promise.catch(() => undefined);
    const upload: Upload = {
      keepsSlot,
      octets: 0,
      waitedMs: 0,
      waitingSinceMs: undefined,
      giveWay: () =>
        given.reject(
          new IntakeFault(
            'request_timeout',
            'The upload was too slow while others were waiting. Upload the file again over a faster connection.',
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
  { nowMs, nextTurn }: Pick<UploadSlotsOptions, 'nowMs' | 'nextTurn'>,
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
      // Chunks of several uploads that arrive together would otherwise be read together, and delay single answers.
      await nextTurn();
      yield next.value;
    }
  } finally {
    // Not awaited: behind a read that never completes, this would not complete either.
    void sender.return?.().catch(() => undefined);
  }
}

function slowestOf(
  uploads: ReadonlySet<Upload>,
  { patienceMs, perSecondMin, nowMs }: UploadSlotsOptions,
): Upload | undefined {
  const perSecondOf = ({ octets, waitedMs, waitingSinceMs = nowMs() }: Upload) =>
    octets / ((waitedMs + nowMs() - waitingSinceMs) / 1_000);
  return [...uploads]
    .filter(
      ({ keepsSlot, waitedMs, waitingSinceMs }) =>
        !keepsSlot && waitingSinceMs !== undefined && waitedMs + nowMs() - waitingSinceMs >= patienceMs,
    )
    .filter(upload => perSecondOf(upload) < perSecondMin)
    .sort((one, other) => perSecondOf(one) - perSecondOf(other))[0];
}
