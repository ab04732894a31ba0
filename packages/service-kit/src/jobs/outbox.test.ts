import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Pool } from 'pg';
import { createLogger } from '../log.ts';
import { inTransaction, tellWritten } from '../stores/transaction.ts';
import { createOutboxRelay, type OutboxRelay } from './outbox.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const intervalMs = 250;

let now: number;
let relay: OutboxRelay;
let pool: Pool;
/** The times of the polls in milliseconds since the start, and what the next ones find. */
let polls: number[];
let due: { readonly outbox_id: string; readonly job_type: string }[];
let added: string[];
let committing: Promise<void> | undefined;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  now = Date.now();
  [polls, due, added] = [[], [], []];
  committing = undefined;
  pool = poolOf(async text => {
    if (text.includes('FOR UPDATE SKIP LOCKED')) {
      polls.push(Date.now() - now);
      return { rows: due.splice(0) };
    }
    if (text === 'COMMIT') {
      await committing;
    }
    return { rows: [] };
  });
  open(intervalMs);
});

afterEach(async () => {
  await relay.close();
  jest.useRealTimers();
});

/** A pool of which only statements matter. */
function poolOf(query: (text: string) => Promise<{ rows: unknown[] }>): Pool {
  const client = { query, on: () => undefined, off: () => undefined, release: () => undefined };
  return { query, connect: async () => client } as unknown as Pool;
}

function open(everyMs: number): void {
  const producer = { add: async (jobId: string) => void added.push(jobId) };
  relay = createOutboxRelay({ pool, logger, intervalMs: everyMs, producers: { lamp: producer as never } });
}

const passMs = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const pausesOf = (times: readonly number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));
const row = (outbox_id: string) => ({ outbox_id, job_type: 'lamp', payload: {}, trace_parent: null });

describe('the relay of an outbox', () => {
  it('polls less often after twenty polls that found nothing, and at least once a second', async () => {
    relay.start();
    await passMs(20_000);
    const pauses = pausesOf(polls);
    expect(pauses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 250));
    expect(pauses[20]).toBe(500);
    expect(new Set(pauses.slice(21))).toEqual(new Set([1_000]));
  });

  it('polls often again as soon as a poll finds a row of another process', async () => {
    relay.start();
    await passMs(20_000);
    const seen = polls.length;
    due.push(row('7'));
    await passMs(3_000);
    expect(added).toEqual(['outbox-7']);
    expect(new Set(pausesOf(polls.slice(seen)))).toEqual(new Set([250]));
  });

  it('never polls more often than its interval, if that is longer than a second', async () => {
    open(5_000);
    relay.start();
    await passMs(200_000);
    expect(new Set(pausesOf(polls))).toEqual(new Set([5_000]));
  });

  it('relays a row of its process when the transaction commits, and not before', async () => {
    relay.start();
    await passMs(20_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    committing = promise;
    const seen = polls.length;
    const atMs = Date.now() - now;
    const writing = inTransaction(pool, async client => {
      tellWritten(client, 'outbox');
      tellWritten(client, 'outbox');
    });
    await passMs(400);
    expect(polls.slice(seen).length).toBeLessThanOrEqual(1);
    due.push(row('8'));
    resolve();
    await writing;
    const committedMs = Date.now() - now;
    await passMs(20);
    expect(added).toEqual(['outbox-8']);
    expect(committedMs - atMs).toBe(400);
    expect((polls.at(-1) ?? 0) - committedMs).toBeLessThanOrEqual(10);
    const from = polls.length - 1;
    await passMs(1_000);
    expect(new Set(pausesOf(polls.slice(from)))).toEqual(new Set([250]));
  });

  it('is not woken by a transaction that rolls back', async () => {
    relay.start();
    await passMs(20_000);
    const seen = polls.length;
    const writing = inTransaction(pool, async client => {
      tellWritten(client, 'outbox');
      throw new Error('no');
    });
    await expect(writing).rejects.toThrow('no');
    await passMs(900);
    expect(polls.length - seen).toBeLessThanOrEqual(1);
  });

  it('looks again if a row is written during a poll', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isSlow = true;
    pool = poolOf(async text => {
      if (text.includes('FOR UPDATE SKIP LOCKED')) {
        polls.push(Date.now() - now);
        if (isSlow) {
          isSlow = false;
          await promise;
          return { rows: [] };
        }
        return { rows: due.splice(0) };
      }
      return { rows: [] };
    });
    open(60_000);
    relay.start();
    await passMs(0);
    expect(polls).toEqual([0]);
    due.push(row('9'));
    tellWritten(pool, 'outbox');
    resolve();
    await passMs(20);
    expect(added).toEqual(['outbox-9']);
  });

  it('gathers the rows that are written at about the same time into one poll', async () => {
    open(60_000);
    relay.start();
    await passMs(1_000);
    for (const outboxId of ['1', '2', '3', '4']) {
      due.push(row(outboxId));
      tellWritten(pool, 'outbox');
      await passMs(1);
    }
    await passMs(20);
    expect(added).toEqual(['outbox-1', 'outbox-2', 'outbox-3', 'outbox-4']);
    expect(polls).toHaveLength(2);
  });
});
