import { setImmediate } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { oneEachTurn } from './answer-question.ts';

describe('one thing each turn', () => {
  it('ends the turn after each message, though the port never runs out of them', async () => {
    const messagesMax = 500;
    const { port1, port2 } = new MessageChannel();
    const takenInTurns: number[] = [];
    let turn = 0;
    const take = oneEachTurn((message: number) => {
      takenInTurns.push(turn);
      // The next message arrives before this one is finished.
      if (message < messagesMax) {
        port1.postMessage(message + 1);
      }
    });
    port2.on('message', take);
    port1.postMessage(1);
    while (takenInTurns.length < messagesMax) {
      turn += 1;
      await setImmediate();
    }
    port1.close();
    expect(new Set(takenInTurns).size).toBe(messagesMax);
  });

  it('keeps the order, also of what is added meanwhile', async () => {
    const taken: string[] = [];
    const add = oneEachTurn((item: string) => {
      taken.push(item);
      if (item === 'first') {
        add('last');
      }
    });
    add('first');
    add('second');
    expect(taken).toEqual([]);
    while (taken.length < 3) {
      await setImmediate();
    }
    expect(taken).toEqual(['first', 'second', 'last']);
  });
});
