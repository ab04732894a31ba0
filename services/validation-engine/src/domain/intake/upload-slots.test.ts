import { describe, expect, it } from '@jest/globals';
import { createUploadSlots } from './upload-slots.ts';

const kilobyte = new Uint8Array(1_000);

/** An upload whose sender sends only when told to. */
function upload() {
  const pieces: Uint8Array[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  async function* octets(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = pieces.shift();
      if (piece) {
        yield piece;
      } else if (isOver) {
        return;
      } else {
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
    }
  }
  return {
    octets: octets(),
    send(count: number) {
      pieces.push(...Array.from({ length: count }, () => kilobyte));
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

async function read(octets: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const piece of octets) {
    count += piece.length;
  }
  return count;
}

const soon = () => new Promise(resolve => setImmediate(resolve));

describe('slots for uploads', () => {
  it('are limited, and no upload is aborted that sends or has just started', async () => {
    const clock = { ms: 0 };
    const admit = createUploadSlots({
      slotsMax: 2,
      patienceMs: 10_000,
      perSecondMin: 100,
      nowMs: () => clock.ms,
      nextTurn: async () => undefined,
    });
    const [one, other, third] = [upload(), upload(), upload()];
    const first = admit(one.octets, read);
    const second = admit(other.octets, read);
    await soon();
    expect(await admit(third.octets, read)).toEqual({ kind: 'turned_away' });
    clock.ms = 60_000;
    one.send(60);
    other.send(60);
    await soon();
    expect(await admit(third.octets, read)).toEqual({ kind: 'turned_away' });
    one.end();
    expect(await first).toEqual({ kind: 'done', result: 60_000 });
    third.send(1);
    third.end();
    expect(await admit(third.octets, read)).toEqual({ kind: 'done', result: 1_000 });
    other.end();
    expect(await second).toEqual({ kind: 'done', result: 60_000 });
  });

  it('are taken from the slowest, which gets the reason', async () => {
    const clock = { ms: 0 };
    const admit = createUploadSlots({
      slotsMax: 2,
      patienceMs: 10_000,
      perSecondMin: 100,
      nowMs: () => clock.ms,
      nextTurn: async () => undefined,
    });
    const [slow, slower, quick] = [upload(), upload(), upload()];
    const first = admit(slow.octets, read);
    const second = admit(slower.octets, read);
    slow.send(1);
    await soon();
    clock.ms = 20_000;
    quick.send(5);
    quick.end();
    const third = admit(quick.octets, read);
    await expect(second).rejects.toMatchObject({ code: 'request_timeout' });
    expect(await third).toEqual({ kind: 'done', result: 5_000 });
    slow.end();
    expect(await first).toEqual({ kind: 'done', result: 1_000 });
  });

  it('are kept by uploads that do not wait for their sender', async () => {
    const clock = { ms: 0 };
    const admit = createUploadSlots({
      slotsMax: 2,
      patienceMs: 10_000,
      perSecondMin: 100,
      nowMs: () => clock.ms,
      nextTurn: async () => undefined,
    });
    const [waiting, slow, quick] = [upload(), upload(), upload()];
    const first = admit(waiting.octets, read, { keepsSlot: true });
    const second = admit(slow.octets, read);
    slow.send(1);
    await soon();
    clock.ms = 20_000;
    quick.end();
    const third = admit(quick.octets, read);
    await expect(second).rejects.toMatchObject({ code: 'request_timeout' });
    expect((await third).kind).toBe('done');
    waiting.end();
    expect((await first).kind).toBe('done');
  });

  it('count no time that is ours against a sender', async () => {
    const clock = { ms: 0 };
    const admit = createUploadSlots({
      slotsMax: 1,
      patienceMs: 10_000,
      perSecondMin: 100,
      nowMs: () => clock.ms,
      nextTurn: async () => undefined,
    });
    const gate = Promise.withResolvers<void>();
    const one = upload();
    one.send(1);
    const first = admit(one.octets, async octets => {
      for await (const _ of octets) {
        await gate.promise;
      }
    });
    await soon();
    clock.ms = 60_000;
    expect(await admit(upload().octets, read)).toEqual({ kind: 'turned_away' });
    gate.resolve();
    one.end();
    expect((await first).kind).toBe('done');
  });

  it('read a piece only when it is their turn, and count no wait for it against a sender', async () => {
    const clock = { ms: 0 };
    const turns: (() => void)[] = [];
    const admit = createUploadSlots({
      slotsMax: 1,
      patienceMs: 10_000,
      perSecondMin: 100,
      nowMs: () => clock.ms,
      nextTurn: () => new Promise(resolve => turns.push(resolve)),
    });
    const one = upload();
    let pieces = 0;
    const first = admit(one.octets, async octets => {
      for await (const _ of octets) {
        pieces += 1;
      }
    });
    one.send(2);
    await soon();
    expect([pieces, turns.length]).toEqual([0, 1]);
    clock.ms = 60_000;
    expect(await admit(upload().octets, read)).toEqual({ kind: 'turned_away' });
    turns[0]?.();
    await soon();
    expect([pieces, turns.length]).toEqual([1, 2]);
    turns[1]?.();
    one.end();
    await first;
    expect(pieces).toBe(2);
  });
});
