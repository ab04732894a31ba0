import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Admission,
  answerOf,
  fixedWindow,
  type Refusing,
  refusal,
  slidingWindow,
  tokenBucket,
} from './testing/limited-receivers.ts';
import { runPush } from './testing/run-push.ts';
import { createVirtualClock } from './testing/virtual-clock.ts';

/** A deterministic pseudorandom generator. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Pushes rows to a receiver that admits a limited rate and counts requests. */
async function pushToLimited(
  rows: number,
  admits: Admission,
  refusing: Refusing,
  latencyMs = 40,
  random = seeded(1),
) {
  const clock = createVirtualClock();
  const requests = { all: 0, refused: 0 };
  const end = await clock.run(
    runPush({
      rows,
      clock,
      random,
      async receive() {
        requests.all += 1;
        await clock.wait(latencyMs * (0.5 + random() / 2));
        const isLetIn = admits(clock.nowMs());
        requests.refused += isLetIn ? 0 : 1;
        await clock.wait(latencyMs * (0.5 + random() / 2));
        return isLetIn ? answerOf(200) : refusal(refusing, clock.nowMs());
      },
    }),
  );
  return { ...end, requests };
}

describe('a push to a receiver that takes 10 rows a second', () => {
  it.each<[string, () => Admission, Refusing]>([
    ['in each second of its clock', () => fixedWindow(10), 'seconds'],
    ['in any second', () => slidingWindow(10), 'seconds'],
    ['from a bucket of 20', () => tokenBucket(10, 20), 'seconds'],
    ['and says so with a date', () => slidingWindow(10), 'date'],
    ['and says so without a time', () => slidingWindow(10), 'nothing'],
    ['and says so with 503', () => slidingWindow(10), 'unavailable'],
  ])('%s: loses no row, and 1 %% of its requests are refused at most', async (_what, admits, refusing) => {
    const { outcomes, requests, tookMs, failure } = await pushToLimited(5_000, admits(), refusing);
    expect(failure).toBeUndefined();
    expect(
      [...outcomes.values()].filter(each => each.state === 'delivered' && each.attempts === 1),
    ).toHaveLength(5_000);
    expect(requests.all).toBe(5_000 + requests.refused);
    expect(requests.refused / requests.all).toBeLessThanOrEqual(0.01);
    // At most a quarter longer than the receiver's limit requires.
    expect(tookMs).toBeLessThan(625_000);
  });

  it('keeps to it for any limit, latency and form of the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 1, max: 400 }),
        fc.constantFrom<Refusing>('seconds', 'date', 'nothing', 'unavailable'),
        fc.constantFrom(fixedWindow, slidingWindow, (limit: number) => tokenBucket(limit, limit)),
        fc.integer({ min: 1, max: 2 ** 31 }),
        async (limit, latencyMs, refusing, admission, seed) => {
          const rows = limit * 120;
          const end = await pushToLimited(rows, admission(limit), refusing, latencyMs, seeded(seed));
          expect(end.failure).toBeUndefined();
          expect(end.record.throttled).toBe(end.requests.refused);
          expect([...end.outcomes.values()].filter(each => each.state === 'delivered')).toHaveLength(rows);
          // If the limit is a fraction of the initial pace, finding it costs some refused requests.
          expect(end.requests.refused).toBeLessThanOrEqual(20 + end.requests.all / 100);
        },
      ),
      { numRuns: 10 },
    );
  }, 120_000);
});

describe('a push', () => {
  it('sends hundreds of rows per second to a receiver that accepts them at once', async () => {
    const clock = createVirtualClock();
    const { outcomes, tookMs } = await clock.run(
      runPush({
        rows: 20_000,
        clock,
        async receive() {
          await clock.wait(5);
          return answerOf(204);
        },
      }),
    );
    expect(outcomes.size).toBe(20_000);
    expect(tookMs).toBeLessThan(60_000);
  });

  it('delivers every row of a receiver that fails a fifth of the time, or gives it up after 3 attempts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 ** 31 }), async seed => {
        const clock = createVirtualClock();
        const random = seeded(seed);
        const requests = new Map<string, number[]>();
        const { outcomes, failure } = await clock.run(
          runPush({
            rows: 500,
            clock,
            random,
            async receive({ webhookId }) {
              await clock.wait(20);
              const status = random() < 0.2 ? 500 : 200;
              requests.set(webhookId, [...(requests.get(webhookId) ?? []), status]);
              return answerOf(status);
            },
          }),
        );
        expect(failure).toBeUndefined();
        for (const [webhookId, statuses] of requests) {
          const outcome = outcomes.get(Number(webhookId.split('_').at(-1)));
          expect(outcome?.attempts).toBe(statuses.length);
          expect(outcome?.state).toBe(statuses.at(-1) === 200 ? 'delivered' : 'failed');
          expect(statuses.length === 3 || statuses.at(-1) === 200).toBe(true);
          expect(statuses.slice(0, -1).every(status => status === 500)).toBe(true);
        }
        expect(requests.size).toBe(500);
      }),
      { numRuns: 20 },
    );
  }, 120_000);

  it('loses no row and repeats none that arrived, for any responses', async () => {
    const answers = [
      200,
      200,
      200,
      204,
      302,
      400,
      404,
      408,
      413,
      425,
      429,
      500,
      503,
      'throttled',
      'none',
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...answers), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 2 ** 31 }),
        async (kinds, seed) => {
          const clock = createVirtualClock();
          const random = seeded(seed);
          const attempts = new Map<number, number>();
          const arrived = new Set<number>();
          let throttled = 0;
          const { outcomes, failure, record } = await clock.run(
            runPush({
              rows: 60,
              clock,
              random,
              pausedMsMax: 600_000,
              async receive({ webhookId }) {
                const rowNo = Number(webhookId.split('_').at(-1));
                expect(arrived.has(rowNo)).toBe(false);
                await clock.wait(500 * random());
                const kind = kinds[Math.floor(random() * kinds.length)] ?? 200;
                if (kind === 429 || kind === 'throttled') {
                  throttled += 1;
                  return answerOf(kind === 429 ? 429 : 503, kind === 429 ? {} : { retryAfter: '2' });
                }
                attempts.set(rowNo, (attempts.get(rowNo) ?? 0) + 1);
                if (kind === 'none') {
                  return { kind: 'none', reason: 'unreachable' };
                }
                if (kind < 300) {
                  arrived.add(rowNo);
                }
                return answerOf(kind);
              },
            }),
          );
          expect(record.throttled).toBe(throttled);
          expect(record.pausedMs).toBeLessThanOrEqual(600_000);
          for (let rowNo = 1; rowNo <= 60; rowNo++) {
            const outcome = outcomes.get(rowNo);
            expect(outcome?.attempts ?? 0).toBe(attempts.get(rowNo) ?? 0);
            expect(outcome?.attempts ?? 0).toBeLessThanOrEqual(3);
            expect(outcome?.state === 'delivered').toBe(arrived.has(rowNo));
            // Only a push that ended early leaves rows pending, and these can be resumed.
            expect(failure !== undefined || (outcome && outcome.state !== 'pending')).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it('waits for a receiver that is away, and costs it few rows', async () => {
    const clock = createVirtualClock();
    const awayMs = [clock.nowMs() + 2_000, clock.nowMs() + 602_000] as const;
    const { outcomes, pauses, failure } = await clock.run(
      runPush({
        rows: 1_000,
        clock,
        random: seeded(3),
        async receive() {
          await clock.wait(20);
          const isUnavailable = clock.nowMs() > awayMs[0] && clock.nowMs() < awayMs[1];
          return isUnavailable ? { kind: 'none', reason: 'unreachable' } : answerOf(200);
        },
      }),
    );
    const failed = [...outcomes.values()].filter(each => each.state === 'failed');
    expect(failure).toBeUndefined();
    expect(outcomes.size).toBe(1_000);
    expect(failed.length).toBeLessThan(12);
    expect(new Set(pauses)).toEqual(new Set(['receiver_away']));
  });

  it('does not let a row that waits for its next attempt hold up the others', async () => {
    const clock = createVirtualClock();
    const order: string[] = [];
    await clock.run(
      runPush({
        rows: 20,
        clock,
        async receive({ webhookId }) {
          const rowNo = webhookId.split('_').at(-1) ?? '';
          order.push(rowNo);
          return answerOf(rowNo === '1' ? 500 : 200);
        },
      }),
    );
    expect(order.slice(0, 10)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    expect(order.filter(rowNo => rowNo === '1')).toHaveLength(3);
    expect(order).toHaveLength(22);
  });

  it('ends when the receiver refuses one row after the other, and not for single ones', async () => {
    const clock = createVirtualClock();
    const refusing = (isRefused: (rowNo: number) => boolean) =>
      clock.run(
        runPush({
          rows: 100,
          clock,
          receive: async ({ webhookId }) =>
            answerOf(isRefused(Number(webhookId.split('_').at(-1))) ? 404 : 200),
        }),
      );
    expect(await refusing(() => true)).toMatchObject({ failure: 'destination_refused' });
    const single = await refusing(rowNo => rowNo % 3 === 0);
    expect(single.failure).toBeUndefined();
    expect([...single.outcomes.values()].filter(each => each.state === 'failed')).toHaveLength(33);
  });

  it('ends if the receiver may not be contacted', async () => {
    const clock = createVirtualClock();
    const { failure, outcomes } = await clock.run(
      runPush({ rows: 100, clock, receive: async () => ({ kind: 'none', reason: 'not_allowed' }) }),
    );
    expect(failure).toBe('destination_refused');
    expect(
      [...outcomes.values()].every(({ fault, attempts }) => fault === 'not_allowed' && attempts === 1),
    ).toBe(true);
  });

  it('ends instead of waiting longer than allowed', async () => {
    const clock = createVirtualClock();
    const { failure, tookMs, record } = await clock.run(
      runPush({
        rows: 10,
        clock,
        pausedMsMax: 3_600_000,
        receive: async () => answerOf(429, { retryAfter: '700' }),
      }),
    );
    expect(failure).toBe('paused_too_long');
    expect(record.pausedMs).toBeLessThanOrEqual(3_600_000);
    // Five pauses fit into an hour, and a sixth is not started.
    expect(tookMs).toBeLessThan(5 * 700_000 + 60_000);
  });

  it('never goes beyond the ceiling that it was given', async () => {
    const clock = createVirtualClock();
    const at: number[] = [];
    await clock.run(
      runPush({
        rows: 200,
        clock,
        options: { rows_per_second_max: 5 },
        async receive() {
          at.push(clock.nowMs());
          return answerOf(200);
        },
      }),
    );
    const inAnySecond = at.map((from, index) => at.slice(index).filter(each => each < from + 1_000).length);
    expect(Math.max(...inAnySecond)).toBeLessThanOrEqual(6);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(39_000);
  });

  it('gives a row that is too large up without sending it', async () => {
    const clock = createVirtualClock();
    const sent: string[] = [];
    const { outcomes } = await clock.run(
      runPush({
        rows: 3,
        clock,
        cellOf: rowNo => (rowNo === 2 ? 'x'.repeat(100_000) : `row ${rowNo}`),
        async receive({ body }) {
          sent.push(body);
          return answerOf(200);
        },
      }),
    );
    expect(outcomes.get(2)).toMatchObject({
      state: 'failed',
      fault: 'too_large',
      attempts: 0,
      attemptedAt: null,
    });
    expect(sent).toEqual(['{"name":"row 1"}', '{"name":"row 3"}']);
  });
});
