/** Lets the addresses of lists, or the pieces of uploads, begin one by one while a client waits for a single answer. */
export interface YieldingStarts {
  /** Resolves when another address may begin. */
  next(): Promise<void>;
  /** Somebody waits for a single answer from now on. */
  yieldTo(): void;
}

/** For so long after a single answer was asked for, lists leave room for more, in milliseconds. */
const yieldMs = 1_000;
/** How long it has been idle then for each millisecond of work since the address before. */
const idleShare = 2;
/** However busy the process is, an address begins after so long, so that lists go on, in milliseconds. */
const longestMs = 50;

/**
 * While single answers are asked for, an address of a list begins only once the process has been idle for twice as long
 * as it was busy since the one before (ADR 0035). Hundreds that began at once would come back at once, from name servers,
 * stores and mail hosts, and whoever waits for an answer would wait until all of them are handled. Where hosts take their
 * time a process is idle for most of it, and lists lose little.
 */
export function createYieldingStarts(): YieldingStarts {
  const waiting: (() => void)[] = [];
  let isLooking = false;
  let yieldedAtMs = Number.NEGATIVE_INFINITY;
  let begun = performance.eventLoopUtilization();
  let begunAtMs = 0;

  const yields = (nowMs: number) => nowMs - yieldedAtMs < yieldMs;

  /** How long the next address has to wait at least, if there is no more work meanwhile; not above 0 where it may begin. */
  function waitMs(nowMs: number): number {
    const { idle, active } = performance.eventLoopUtilization(begun);
    return Math.min(active * idleShare - idle, begunAtMs + longestMs - nowMs);
  }

  function look(): void {
    const nowMs = performance.now();
    if (!yields(nowMs)) {
      for (const begin of waiting.splice(0)) begin();
    } else if (waitMs(nowMs) <= 0) {
      begun = performance.eventLoopUtilization();
      begunAtMs = nowMs;
      waiting.shift()?.();
    }
    isLooking = waiting.length > 0;
    if (isLooking) {
      setTimeout(look, Math.max(1, waitMs(nowMs)));
    }
  }

  return {
    next: () =>
      new Promise(resolve => {
        waiting.push(resolve);
        if (!isLooking) {
          look();
        }
      }),
    yieldTo() {
      yieldedAtMs = performance.now();
    },
  };
}
