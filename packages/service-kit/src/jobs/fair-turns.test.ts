import { describe, expect, it } from '@jest/globals';
import { createFairTurns } from './fair-turns.ts';

/** Pieces of work that end when they are told to, and the order in which they began. */
function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    piece: (name: string) => () =>
      new Promise<string>(resolve => {
        begun.push(name);
        ends.set(name, () => resolve(name));
      }),
    async end(name: string) {
      ends.get(name)?.();
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

describe('turns', () => {
  it('go round the accounts, however much one of them wants', async () => {
    const { begun, piece, end } = createWork();
    const turns = createFairTurns(1);
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(name => turns.take(name.slice(0, 1), piece(name)));
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
  });

  it('are so many at once, of one account one', async () => {
    const { begun, piece, end } = createWork();
    const turns = createFairTurns(2);
    void turns.take('a', piece('a1'));
    void turns.take('a', piece('a2'));
    void turns.take('b', piece('b1'));
    void turns.take('c', piece('c1'));
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  it('are all of one account’s while nobody else waits, and go round again as soon as somebody does', async () => {
    const { begun, piece, end } = createWork();
    const turns = createFairTurns(3, 3);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2']) {
      void turns.take(name.slice(0, 1), piece(name));
    }
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    await end('a2');
    expect(begun.at(-1)).toBe('b1');
    await end('a1');
    expect(begun.at(-1)).toBe('b2');
    await end('a3');
    expect(begun.at(-1)).toBe('a4');
    await end('b1');
    expect(begun.at(-1)).toBe('a5');
  });

  it('come again after work that failed', async () => {
    const turns = createFairTurns(1);
    await expect(turns.take('a', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    expect(await turns.take('a', async () => 'right')).toBe('right');
  });
});
