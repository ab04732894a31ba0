import type { Pool } from 'pg';
import type { z } from 'zod';
import { type Observed, observeGauges } from '../signals.ts';
import type { Producer } from './producer.ts';

interface Named {
  readonly name: string;
  readonly producer: Producer<z.ZodType>;
}

/** In this order: due but not on its queue yet, on its queue, not due yet. */
const rowStates = ['waiting', 'queued', 'later'] as const;

const countRows = {
  name: 'count-outbox-rows',
  text: `
    SELECT job_type, state, count(*)::int AS rows, extract(epoch FROM max(now() - due_at))::float8 AS age FROM (
      SELECT job_type, due_at, CASE
        WHEN enqueued_at > '-infinity' THEN 'queued' WHEN due_at <= now() THEN 'waiting' ELSE 'later' END AS state
      FROM outbox WHERE done_at IS NULL AND failed_at IS NULL) AS open
    GROUP BY job_type, state`,
};

/**
 * Observes how much work is left: jobs on queues and rows of the outbox. Both are shared, so all processes of a service
 * report the same values; if values differ, the largest is right.
 */
export function observeOutbox(pool: Pool, jobs: readonly Named[]): { close(): void } {
  const queues = observeGauges(
    [
      { name: 'mailproof.queue.jobs', description: 'Jobs on a queue, by state.' },
      {
        name: 'mailproof.queue.oldest_job_age',
        description: 'Age of the oldest waiting job; 0 if none waits.',
        unit: 's',
      },
    ],
    () => lookAtQueues(jobs),
  );
  const rows = observeGauges(
    [
      { name: 'mailproof.outbox.rows', description: 'Outbox rows that are not done, by state.' },
      {
        name: 'mailproof.outbox.oldest_row_age',
        description: 'Overdue time of the oldest outbox row; 0 if none waits.',
        unit: 's',
      },
    ],
    () => lookAtRows(pool, jobs),
  );
  return {
    close() {
      queues.close();
      rows.close();
    },
  };
}

async function lookAtQueues(jobs: readonly Named[]): Promise<Observed> {
  const looks = await Promise.all(
    jobs.map(async ({ name, producer }) => ({ queue: name, ...(await producer.look()) })),
  );
  return [
    looks.flatMap(({ queue, jobs }) =>
      Object.entries(jobs).map(([state, count]) => [count, { queue, state }] as const),
    ),
    looks.map(({ queue, oldestWaitingMs }) => [oldestWaitingMs / 1_000, { queue }] as const),
  ];
}

async function lookAtRows(pool: Pool, jobs: readonly Named[]): Promise<Observed> {
  const { rows } = await pool.query<{ job_type: string; state: string; rows: number; age: number }>(
    countRows,
  );
  const of = (queue: string, state: string) =>
    rows.find(row => row.job_type === queue && row.state === state) ?? { rows: 0, age: 0 };
  return [
    jobs.flatMap(({ name: queue }) =>
      rowStates.map(state => [of(queue, state).rows, { queue, state }] as const),
    ),
    jobs.map(({ name: queue }) => [of(queue, 'waiting').age, { queue }] as const),
  ];
}
