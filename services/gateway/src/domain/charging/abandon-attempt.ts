import type { IdempotencyAttempt, IdempotencyStore } from './idempotency.ts';

/**
 * Delays between retries while the database is unavailable; in total shorter than the lease of an attempt, which
 * expires.
 */
const waitsMs = [100, 200, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000];

/**
 * Deletes the record of a failed attempt. Resolves after the first try; retries continue in the background. An attempt
 * often fails because the database is unavailable, and until its record is deleted, a request with the same key is told
 * to wait (ADR 0023).
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
