import type { z } from 'zod';

/**
 * A kind of background job. The queue bears its name, `<service>.<job-type>`, and belongs to that service alone.
 * Payloads hold ids only: BullMQ keeps them in Redis in clear.
 */
export interface JobType<Payload extends z.core.$ZodType = z.core.$ZodType> {
  readonly name: `${string}.${string}`;
  readonly payload: Payload;
  /** Attempts in all before the job counts as failed. */
  readonly attemptsMax: number;
  /** Wait ahead of the second attempt, in milliseconds; it doubles from there. */
  readonly backoffMs: number;
  /** The longest wait between two attempts, in milliseconds; it has no bound otherwise. */
  readonly backoffMsMax?: number;
}

/**
 * For work whose progress somebody watches: it goes on within four seconds of the end of an outage of up to forty. What was
 * away for longer is found by the service's sweep.
 */
export const soonAgain = { attemptsMax: 14, backoffMs: 250, backoffMsMax: 4_000 } as const;

export function defineJobType<Payload extends z.core.$ZodType>(jobType: JobType<Payload>): JobType<Payload> {
  return jobType;
}
