import type { JobType } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { Logger } from '../log.ts';
import { createCounter } from '../metrics.ts';
import { createRareWarning } from '../rare-warning.ts';
import { inTraceOf } from '../tracing.ts';
import type { Producer } from './producer.ts';

/**
 * The outbox joins a change of state to the work that follows from it: the change and an `outbox` row commit together,
 * and the relay puts the row on its queue afterwards. A row that is not done some time after it was enqueued is
 * enqueued again, so that a queue lost with Redis is rebuilt from Postgres; the queue drops what it still has by the
 * job's id. A row with a later `due_at` waits for it in Postgres, so that a long wait holds no slot anywhere and is not
 * lost with Redis either. Every service that has background work owns such a table (ADR 0006).
 */
export interface OutboxRelay {
  start(): void;
  /** Looks for rows now instead of at the next tick; called after a commit. */
  wake(): void;
  close(): Promise<void>;
}

export interface OutboxRelayOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly producers: Readonly<Record<string, Producer<z.ZodType>>>;
  /** Time between two looks at the table, in milliseconds. */
  readonly intervalMs?: number;
  /** Time after which a row that is not done is enqueued again, in milliseconds. */
  readonly againAfterMs?: number;
}

interface OutboxRow {
  readonly outbox_id: string;
  readonly job_type: string;
  readonly payload: unknown;
  /** Where the row was written (ADR 0047). */
  readonly trace_parent: string | null;
}

const batchMax = 100;
const keepDoneDays = 7;

/**
 * Rows of a kind that this release does not know are left alone: a newer one made them, and a hundred of them that are due
 * first would otherwise stand in front of everything else for as long as the earlier one runs.
 */
const claim = `
  UPDATE outbox SET enqueued_at = now()
  WHERE outbox_id IN (
    SELECT outbox_id FROM outbox
    WHERE done_at IS NULL AND failed_at IS NULL AND due_at <= now() AND job_type = ANY($2)
      AND (enqueued_at IS NULL OR enqueued_at < now() - make_interval(secs => $1 / 1000.0))
    ORDER BY due_at LIMIT ${batchMax}
    FOR UPDATE SKIP LOCKED)
  RETURNING outbox_id, job_type, payload, trace_parent`;

/**
 * A row that could not be put on its queue may be there all the same: it was before, or only the answer was lost. So it is
 * not as one that nobody has taken yet, whose moment may be changed by who wants the same work done: its job may be about
 * to end, and would end with it what was wanted since.
 */
const giveBack =
  "UPDATE outbox SET enqueued_at = '-infinity' WHERE outbox_id = ANY($1::bigint[]) AND done_at IS NULL";

const forgetDone = `DELETE FROM outbox WHERE done_at < now() - interval '${keepDoneDays} days'`;

export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { pool, logger, producers, intervalMs = 1_000, againAfterMs = 8_000 } = options;
  const jobTypes = Object.keys(producers);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;
  let lastForgottenAtMs = 0;
  const couldNotEnqueue = createRareWarning(logger, 'outbox row could not be enqueued');
  const couldNotRead = createRareWarning(logger, 'outbox could not be read');

  async function relayBatch(): Promise<number> {
    const { rows } = await pool.query<OutboxRow>(claim, [againAfterMs, jobTypes]);
    const refused: string[] = [];
    for (const row of rows) {
      try {
        const producer = producers[row.job_type];
        if (!producer) {
          throw new Error(`no producer for job type ${row.job_type}`);
        }
        await inTraceOf(row.trace_parent, () =>
          producer.add(jobIdOf(row.outbox_id), row.payload, row.trace_parent),
        );
      } catch (err) {
        refused.push(row.outbox_id);
        couldNotEnqueue(err, { outboxId: row.outbox_id, jobType: row.job_type });
      }
    }
    if (refused.length > 0) {
      await pool.query(giveBack, [refused]);
    }
    return rows.length - refused.length;
  }

  async function tick(): Promise<void> {
    try {
      while (!closed && (await relayBatch()) === batchMax) {
        // A full batch that went through means that more may be waiting.
      }
      if (Date.now() - lastForgottenAtMs > 3_600_000) {
        lastForgottenAtMs = Date.now();
        await pool.query(forgetDone);
      }
    } catch (err) {
      couldNotRead(err);
    }
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (!closed) {
      timer = setTimeout(() => {
        running = tick().finally(() => schedule(intervalMs));
      }, delayMs);
    }
  }

  return {
    start: () => schedule(0),
    wake: () => schedule(0),
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** The id of the job that an outbox row becomes; BullMQ reserves bare numbers for itself. */
function jobIdOf(outboxId: string): string {
  return `outbox-${outboxId}`;
}

/** Records the end of a job that came through the outbox. */
export async function markOutboxRow(pool: Pool, jobId: string, end: 'done' | 'failed'): Promise<void> {
  const outboxId = /^outbox-(\d+)$/.exec(jobId)?.[1];
  if (outboxId === undefined) {
    throw new Error(`Job ${jobId} did not come through the outbox.`);
  }
  await pool.query(`UPDATE outbox SET ${end}_at = now() WHERE outbox_id = $1 AND done_at IS NULL`, [
    outboxId,
  ]);
}

/** Joins a job type to its handler: the row is marked done after the handler, and failed after the last attempt. */
export function outboxHandlers<Payload extends z.ZodType>(
  pool: Pool,
  jobType: JobType<Payload>,
  logger: Logger,
  handle: (payload: z.output<Payload>) => Promise<void>,
) {
  const queue = jobType.name;
  const countFailed = createCounter('mailproof.jobs.failed', 'Jobs that failed for good, by queue.', [
    { queue },
  ]);
  return {
    handle,
    onDone: (jobId: string) => markOutboxRow(pool, jobId, 'done'),
    async onExhausted(jobId: string, err: Error): Promise<void> {
      countFailed({ queue });
      logger.error({ err, jobType: jobType.name, jobId }, 'job failed for good');
      await markOutboxRow(pool, jobId, 'failed');
    },
  };
}
