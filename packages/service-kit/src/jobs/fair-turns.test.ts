import { describe, expect, it } from '@jest/globals';
import { createFairTurns } from './fair-turns.ts';

/** Tasks that end on request, and the order in which they started. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    piece: (name: string) => () =>
      new Promise<string>(resolve => {
        started.push(name);
        ends.set(name, () => resolve(name));
      }),
    async end(name: string) {
      ends.get(name)?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

describe('turns', () => {
  it('alternate between accounts, regardless of how much one of them has', async () => {
    const { started, piece, end } = createWork();
    const turns = createFairTurns(1);
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(name => turns.take(name.slice(0, 1), piece(name)));
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
      expect(started.at(-1)).toBe(name);
      await end(name);
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  });

  it('are so many at once, of one account one', async () => {
    const { started, piece, end } = createWork();
    const turns = createFairTurns(2);
    void turns.take('a', piece('a1'));
    void turns.take('a', piece('a2'));
    void turns.take('b', piece('b1'));
    void turns.take('c', piece('c1'));
    expect(started).toEqual(['a1', 'b1']);
    await end('b1');
    expect(started).toEqual(['a1', 'b1', 'c1']);
    await end('a1');
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('all go to one account while no other waits, and rotate again as soon as one does', async () => {
    const { started, piece, end } = createWork();
    const turns = createFairTurns(3, 3);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2']) {
      void turns.take(name.slice(0, 1), piece(name));
    }
    expect(started).toEqual(['a1', 'a2', 'a3']);
    await end('a2');
    expect(started.at(-1)).toBe('b1');
    await end('a1');
    expect(started.at(-1)).toBe('b2');
    await end('a3');
    expect(started.at(-1)).toBe('a4');
    await end('b1');
    expect(started.at(-1)).toBe('a5');
  });

  it('come again after work that failed', async () => {
    const turns = createFairTurns(1);
    await expect(turns.take('a', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    expect(await turns.take('a', async () => 'right')).toBe('right');
  });
});
