import type { AskedAddress } from './job-run-store.ts';

export interface Batch {
  readonly answers: readonly AskedAddress[];
  readonly pace: { readonly now: Date; readonly perSecond: number };
}

/** Collects answers, so that one statement writes many of them. */
export interface BatchWriter {
  add(answer: AskedAddress): void;
  /** Resolves once everything added has been written. Rejects if a write failed. */
  written(): Promise<void>;
}

/** How long an answer waits for others, in milliseconds, unless the batch is full. */
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
  const startedAtMs = now().getTime();
  let collected: AskedAddress[] = [];
  let recent: { readonly atMs: number; readonly done: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** Only one write at a time, because all of them lock the same job. */
  let writing: Promise<void> = Promise.resolve();

  function paceOf(answers: readonly AskedAddress[]): Batch['pace'] {
    const at = now();
    const done = answers.filter(({ outcome }) => outcome.kind === 'done').length;
    recent = [...recent, { atMs: at.getTime(), done }].filter(({ atMs }) => at.getTime() - atMs < paceMs);
    const spanMs = Math.min(paceMs, Math.max(collectMs, at.getTime() - startedAtMs));
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
    // A failed write fails all later ones: their callers give up, and the open addresses are probed again.
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
