import type { JobType } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { z } from 'zod';
import type { Logger } from '../log.ts';
import { createRareWarning } from '../rare-warning.ts';
import { createCounter, inTraceOf } from '../signals.ts';
import { onWritten } from '../stores/transaction.ts';
import type { Producer } from './producer.ts';

/**
 * The outbox ties a state change to the work that follows from it: the change and an `outbox` row commit together, and
 * the relay then enqueues the row. A row that is not done some time after it was enqueued is enqueued again, so a queue
 * lost with Redis is rebuilt from Postgres; the queue drops duplicates by job id. A row with a later `due_at` waits in
 * Postgres, so that a long wait occupies no slot and survives the loss of Redis. Every service with background work
 * owns an `outbox` table (ADR 0006).
 */
export interface OutboxRelay {
  /**
   * Relays rows from now on: those of this process soon after `tellWritten`, all others at the next poll. The polls of an
   * idle outbox become rarer, at most `idleMsMax` apart.
   */
  start(): void;
  close(): Promise<void>;
}

export interface OutboxRelayOptions {
  readonly pool: Pool;
  readonly logger: Logger;
  readonly producers: Readonly<Record<string, Producer<z.ZodType>>>;
  /** Polling interval of the table while it has work, in milliseconds. */
  readonly intervalMs?: number;
  /** Time after which a row that is not done is enqueued again, in milliseconds. */
  readonly againAfterMs?: number;
}

interface OutboxRow {
  readonly outbox_id: string;
  readonly job_type: string;
  readonly payload: unknown;
  /** The trace in which the row was written (ADR 0047). */
  readonly trace_parent: string | null;
}

const batchMax = 100;
const keepDoneDays = 7;
/** So many polls in a row find nothing before the pauses between them double, up to this many milliseconds. */
const emptyPollsMax = 20;
const idleMsMax = 1_000;
/** Rows that are written within this time of each other are claimed together, in milliseconds. */
const gatherMs = 10;

/**
 * Claims a batch of rows. It skips job types that this release does not know: a newer release wrote those rows, and a
 * hundred of them at the front would block all others while the older release runs.
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
 * Marks rows that failed to enqueue for another attempt. A row may still be on its queue, from an earlier attempt or
 * because only the reply was lost. So it is not marked as new: callers that want the same work may change a new row's
 * due time, but its job may be about to end, and their later request would end with it.
 */
const returnToQueue =
  "UPDATE outbox SET enqueued_at = '-infinity' WHERE outbox_id = ANY($1::bigint[]) AND done_at IS NULL";

const forgetDone = `DELETE FROM outbox WHERE done_at < now() - interval '${keepDoneDays} days'`;

export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { pool, logger, producers, intervalMs = 1_000, againAfterMs = 8_000 } = options;
  const jobTypes = Object.keys(producers);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;
  let pauseMs = intervalMs;
  let emptyPolls = 0;
  let isWoken = false;
  let stopListening: (() => void) | undefined;
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
      await pool.query(returnToQueue, [refused]);
    }
    if (rows.length > 0) {
      pollOften();
    }
    return rows.length - refused.length;
  }

  async function tick(): Promise<void> {
    try {
      while (!closed && (await relayBatch()) === batchMax) {
        // After a full batch without failures, more rows may be waiting.
      }
      if (Date.now() - lastForgottenAtMs > 3_600_000) {
        lastForgottenAtMs = Date.now();
        await pool.query(forgetDone);
      }
    } catch (err) {
      couldNotRead(err);
    }
  }

  function pollOften(): void {
    pauseMs = intervalMs;
    emptyPolls = 0;
  }

  function nextPauseMs(): number {
    emptyPolls += 1;
    if (emptyPolls > emptyPollsMax) {
      pauseMs = Math.max(intervalMs, Math.min(idleMsMax, pauseMs * 2));
    }
    return isWoken ? gatherMs : pauseMs;
  }

  function schedule(delayMs: number): void {
    clearTimeout(timer);
    if (!closed) {
      timer = setTimeout(() => {
        isWoken = false;
        running = tick().finally(() => {
          running = undefined;
          schedule(nextPauseMs());
        });
      }, delayMs);
    }
  }

  /** A tick that is running may have missed the rows; the next one follows at once then. */
  function wake(): void {
    pollOften();
    if (!isWoken) {
      isWoken = true;
      if (!running) {
        schedule(gatherMs);
      }
    }
  }

  return {
    start() {
      stopListening = onWritten(pool, 'outbox', wake);
      schedule(0);
    },
    async close() {
      closed = true;
      stopListening?.();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Returns the job id of an outbox row; BullMQ reserves plain numbers for itself. */
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

/** Pairs a job type with its handler: the row is marked done after the handler, and failed after the last attempt. */
export function outboxHandlers<Payload extends z.ZodType>(
  pool: Pool,
  jobType: JobType<Payload>,
  logger: Logger,
  handle: (payload: z.output<Payload>) => Promise<void>,
) {
  const queue = jobType.name;
  const countFailed = createCounter('mailproof.jobs.failed', 'Jobs that failed permanently, by queue.', [
    { queue },
  ]);
  return {
    handle,
    onDone: (jobId: string) => markOutboxRow(pool, jobId, 'done'),
    async onExhausted(jobId: string, err: Error): Promise<void> {
      countFailed({ queue });
      logger.error({ err, jobType: jobType.name, jobId }, 'job failed permanently');
      await markOutboxRow(pool, jobId, 'failed');
    },
  };
}
