import { describe, expect, it } from '@jest/globals';
import { createFairTurns } from '@mailproof/service-kit';
import { createBoundedTurns } from './turns.ts';

/** Work that ends when the test says so, and the names of what has started. */
function workshop() {
  const takeTurn = createBoundedTurns(createFairTurns(2).take, 2);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (key: string, name: string) =>
    takeTurn(key, async () => {
      started.push(name);
      await new Promise<void>(resolve => ends.set(name, resolve));
      if (name === 'broken') throw new Error(name);
      return name;
    });
  const settle = () => new Promise(resolve => setImmediate(resolve));
  return { start, started, settle, end: (name: string) => ends.get(name)?.() };
}

describe('turns', () => {
  it('run the work of a key in order, and that of few keys at once', async () => {
    const { start, started, settle, end } = workshop();
    const all = [start('a', 'a1'), start('a', 'a2'), start('b', 'b1'), start('c', 'c1')];
    await settle();
    expect(started).toEqual(['a1', 'b1']);
    end('b1');
    await settle();
    expect(started).toEqual(['a1', 'b1', 'c1']);
    end('a1');
    await settle();
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2']);
    end('a2');
    end('c1');
    expect(await Promise.all(all)).toEqual(
      ['a1', 'a2', 'b1', 'c1'].map(result => ({ kind: 'done', result })),
    );
  });

  it('are not given for more work of a key than may be in line', async () => {
    const { start, started, settle, end } = workshop();
    const first = start('a', 'a1');
    const second = start('a', 'a2');
    expect(await start('a', 'a3')).toEqual({ kind: 'turned_away' });
    end('a1');
    await first;
    await settle();
    const third = start('a', 'a4');
    end('a2');
    await second;
    await settle();
    end('a4');
    expect(await third).toEqual({ kind: 'done', result: 'a4' });
    expect(started).toEqual(['a1', 'a2', 'a4']);
  });

  it('are given to the next after work that fails', async () => {
    const { start, started, settle, end } = workshop();
    const broken = start('a', 'broken');
    const next = start('a', 'next');
    await settle();
    end('broken');
    await expect(broken).rejects.toThrow('broken');
    await settle();
    end('next');
    expect(await next).toEqual({ kind: 'done', result: 'next' });
    expect(started).toEqual(['broken', 'next']);
  });
});
