import { describe, expect, it } from '@jest/globals';
import type { Export } from '../exports/export.ts';
import type { Destination } from './destination.ts';
import { answerOf } from './testing/limited-receivers.ts';
import { exportOf } from './testing/run-push.ts';
import { createVirtualClock } from './testing/virtual-clock.ts';
import { createWebhookDelivery } from './webhook-delivery.ts';

const rows = [{ rowNo: 1, attempts: 0, values: ['a'] }];

/** A delivery whose receiver asks us to wait at one URL and accepts rows at another. */
function openDelivery() {
  const clock = createVirtualClock();
  let destination: Destination | undefined;
  const sent: string[] = [];
  const delivery = createWebhookDelivery({
    destinations: {
      find: async () => destination,
      async forget() {
        destination = undefined;
      },
    },
    async send({ url }) {
      sent.push(url);
      return url.endsWith('/busy') ? answerOf(429, { retryAfter: '60' }) : answerOf(200);
    },
    clock,
    random: () => 0,
    events: { batchPushed: () => undefined, pushPaused: () => undefined },
    pausedMsMax: 3_600_000,
  });
  const record: Export = exportOf({ rows: 1, clock, receive: async () => answerOf(200) });
  return {
    clock,
    sent,
    record,
    delivery,
    goTo(url: string) {
      destination = { url, header: null, signingSecret: 'whsec_' };
    },
    deliver: (signal = new AbortController().signal) => clock.run(delivery.deliverRows(record, rows, signal)),
  };
}

describe('the delivery of rows', () => {
  it('ends without a destination, and has sent nothing', async () => {
    const { deliver, sent } = openDelivery();
    expect(await deliver()).toEqual({ outcomes: [], change: {}, failure: 'destination_lost' });
    expect(sent).toEqual([]);
  });

  it('makes the push wait, and gives rows back that were no attempt', async () => {
    const { deliver, goTo, clock } = openDelivery();
    goTo('https://receiver.example/busy');
    expect(await deliver()).toEqual({
      outcomes: [],
      change: {
        pace: 4,
        throttled: 1,
        pausedMs: 60_000,
        pauseReason: 'receiver_asked',
        resumesAt: new Date(clock.nowMs() + 60_000),
      },
    });
  });

  it('does not let another receiver pay for what the one before has asked for', async () => {
    const { deliver, goTo } = openDelivery();
    goTo('https://receiver.example/busy');
    await deliver();
    goTo('https://receiver.example/free');
    const { outcomes, change } = await deliver();
    expect(outcomes).toMatchObject([{ rowNo: 1, state: 'delivered', attempts: 1, statusCode: 200 }]);
    expect(change).toEqual({ pace: 8, throttled: 0 });
  });

  it('sends nothing after it is aborted', async () => {
    const { deliver, goTo, sent } = openDelivery();
    goTo('https://receiver.example/free');
    expect((await deliver(AbortSignal.abort())).outcomes).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('forgets where the rows went', async () => {
    const { deliver, goTo, delivery, record } = openDelivery();
    goTo('https://receiver.example/free');
    await delivery.forget(record.exportId);
    expect((await deliver()).failure).toBe('destination_lost');
  });
});
