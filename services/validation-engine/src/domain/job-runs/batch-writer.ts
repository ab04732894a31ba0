import type { AskedAddress } from './job-run-store.ts';

export interface Batch {
  readonly answers: readonly AskedAddress[];
  readonly pace: { readonly now: Date; readonly perSecond: number };
}

/** Collects answers, so that many are written down in one statement. */
export interface BatchWriter {
  add(answer: AskedAddress): void;
  /** Once everything that was added has been written down. Rejects where that went wrong. */
  written(): Promise<void>;
}

/** So long does an answer wait for others, in milliseconds, unless there are so many. */
const collectMs = 250;
const batchMax = 500;
/** The time over which the pace is measured, in milliseconds. */
const paceMs = 10_000;

export function createBatchWriter({
  write,
  now,
}: {
  readonly write: (batch: Batch) => Promise<void>;
  readonly now: () => Date;
}): BatchWriter {
  const beganAtMs = now().getTime();
  let collected: AskedAddress[] = [];
  let recent: { readonly atMs: number; readonly done: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** One write at a time: they lock the same job. */
  let writing: Promise<void> = Promise.resolve();

  function paceOf(answers: readonly AskedAddress[]): Batch['pace'] {
    const at = now();
    const done = answers.filter(({ outcome }) => outcome.kind === 'done').length;
    recent = [...recent, { atMs: at.getTime(), done }].filter(({ atMs }) => at.getTime() - atMs < paceMs);
    const spanMs = Math.min(paceMs, Math.max(collectMs, at.getTime() - beganAtMs));
    return { now: at, perSecond: (recent.reduce((sum, each) => sum + each.done, 0) / spanMs) * 1_000 };
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (collected.length === 0) {
      return;
    }
    const answers = collected;
    collected = [];
    // A failed write fails all that come after it: whoever waits for them gives up, and what is open is asked again.
    writing = writing.then(() => write({ answers, pace: paceOf(answers) }));
    writing.catch(() => undefined);
  }

  return {
    add(answer) {
      collected.push(answer);
      if (collected.length >= batchMax) {
        flush();
      } else {
        timer ??= setTimeout(flush, collectMs);
      }
    },
    written() {
      flush();
      return writing;
    },
  };
}
