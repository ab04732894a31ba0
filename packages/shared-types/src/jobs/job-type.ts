import type { z } from 'zod';

/**
 * A type of background job. Its name, `<service>.<job-type>`, is also the name of its queue, which only that service
 * uses. Payloads contain ids only: BullMQ stores them in Redis unencrypted.
 */
export interface JobType<Payload extends z.core.$ZodType = z.core.$ZodType> {
  readonly name: `${string}.${string}`;
  readonly payload: Payload;
  /** The total number of attempts before the job fails. */
  readonly attemptsMax: number;
  /** The delay before the second attempt, in milliseconds; it doubles with each further attempt. */
  readonly backoffMs: number;
  /** The longest delay between two attempts, in milliseconds; unlimited if omitted. */
  readonly backoffMsMax?: number;
}

/**
 * For work whose progress a user watches: after an outage of up to forty seconds, the work continues within four
 * seconds. After a longer outage, the service's sweep re-enqueues it.
 */
export const quickRetries = { attemptsMax: 14, backoffMs: 250, backoffMsMax: 4_000 } as const;

export function defineJobType<Payload extends z.core.$ZodType>(jobType: JobType<Payload>): JobType<Payload> {
  return jobType;
}
