import type { Pool } from 'pg';
import type { z } from 'zod';
import { type Observed, observeGauges } from '../metrics.ts';
import type { Producer } from './producer.ts';

interface Named {
  readonly name: string;
  readonly producer: Producer<z.ZodType>;
}

/** Not on its queue yet though it is due, on its queue, not due yet. */
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
 * Shows how much work there is ahead: jobs on their queues and rows of the outbox. Each process of a service tells the
 * same, since both are shared: of several, the largest is right.
 */
export function observeOutbox(pool: Pool, jobs: readonly Named[]): { close(): void } {
  const queues = observeGauges(
    [
      { name: 'mailproof.queue.jobs', description: 'Jobs on a queue, by state.' },
      {
        name: 'mailproof.queue.oldest_job_age',
        description: 'How long the job has been there that waits longest; 0 where none waits.',
        unit: 's',
      },
    ],
    () => lookAtQueues(jobs),
  );
  const rows = observeGauges(
    [
      { name: 'mailproof.outbox.rows', description: 'Rows of the outbox that are not done, by state.' },
      {
        name: 'mailproof.outbox.oldest_row_age',
        description: 'How long the row has been due that waits longest for its queue; 0 where none waits.',
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
