import { setTimeout as sleep } from 'node:timers/promises';

/** Polls `condition` until it returns something truthy; throws at the deadline. */
export async function waitFor<Answer>(
  what: string,
  condition: () => Answer | Promise<Answer>,
  { deadlineMs, everyMs = 50 }: { readonly deadlineMs: number; readonly everyMs?: number },
): Promise<NonNullable<Answer>> {
  const endsAt = Date.now() + deadlineMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() >= endsAt) throw new Error(`${what}: not so after ${deadlineMs / 1000} s.`);
    await sleep(everyMs);
  }
}

/** Rejects if `work` does not settle in time. The caller must stop the work itself. */
export async function within<Result>(
  what: string,
  work: Promise<Result>,
  deadlineMs: number,
): Promise<Result> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      work,
      sleep(deadlineMs, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`${what}: not done after ${deadlineMs / 1000} s.`);
      }),
    ]);
  } finally {
    timer.abort();
  }
}
