import type { IdempotencyAttempt, IdempotencyStore } from './idempotency.ts';

/** While the database is away; together less than the lease of an attempt, which ends by itself. */
const waitsMs = [100, 200, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000];

/**
 * Forgets an attempt that failed. Resolves after the first try; what comes after goes on beside: an attempt often fails
 * because the database is away, and until its record is gone, whoever asks again with its key is told to wait (ADR 0023).
 */
export async function abandonAttempt(
  records: Pick<IdempotencyStore, 'abandon'>,
  attempt: IdempotencyAttempt,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  const isAbandoned = () =>
    records.abandon(attempt).then(
      () => true,
      () => false,
    );
  if (!(await isAbandoned())) {
    void abandonLater(isAbandoned, wait);
  }
}

async function abandonLater(
  isAbandoned: () => Promise<boolean>,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  for (const waitMs of waitsMs) {
    await wait(waitMs);
    if (await isAbandoned()) {
      return;
    }
  }
}
