import { setTimeout as wait } from 'node:timers/promises';
import type { Health, HealthCheck } from './health.ts';
import type { Logger } from './log.ts';

/** A service that is starting, and what must work first. */
export interface StartingService {
  /** Tried in this order. */
  readonly needs?: Readonly<Record<string, HealthCheck>>;
  readonly health: Pick<Health, 'markStarting'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** In the chart, a migration that takes longer has failed (`migration.activeDeadlineSeconds`). */
const deadlineMsDefault = 600_000;
/** The pause between two tries doubles from the first of these to the second, in milliseconds. */
const pausesMs = [20, 1_000] as const;
/** How often the log says what a service waits for, in milliseconds. */
const logEveryMs = 10_000;

/**
 * Tries everything that a service needs until it works: stores may start, and migrations may run, after the service. All
 * of it together has the deadline, in milliseconds.
 *
 * @throws Error with the last failure when the deadline has passed
 */
export async function untilNeedsWork(
  { needs = {}, health, logger }: StartingService,
  deadlineMs = deadlineMsDefault,
): Promise<void> {
  const startedAt = performance.now();
  let loggedAt = startedAt;
  for (const [name, check] of Object.entries(needs)) {
    let pauseMs: number = pausesMs[0];
    for (;;) {
      const failure = await check().then(
        () => undefined,
        (error: Error) => error,
      );
      if (failure === undefined) break;
      const reason = reasonOf(failure);
      const now = performance.now();
      if (now - startedAt >= deadlineMs) {
        const cause = failure;
        throw new Error(`No ${name} within ${deadlineMs / 1_000} s: ${reason}`, { cause });
      }
      if (now - loggedAt >= logEveryMs) {
        loggedAt = now;
        logger.warn({ waiting_for: name, reason }, 'waiting to start');
      }
      health.markStarting(name);
      await wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, pausesMs[1]);
    }
  }
  health.markStarting();
}

/** If none of the addresses of a host can be reached, Node rejects with an error for each and no message for all. */
function reasonOf(failure: Error & { readonly errors?: readonly Error[] }): string {
  return failure.errors?.map(({ message }) => message).join('; ') ?? failure.message;
}
