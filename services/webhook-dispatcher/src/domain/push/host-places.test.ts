import { describe, expect, it } from '@jest/globals';
import { createHostPlaces } from './host-places.ts';

describe('places at hosts', () => {
  it('are so many for each host, in the order in which they were asked for', async () => {
    const places = createHostPlaces(2);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const work = (host: string, name: string) =>
      places.take(host, () => {
        begun.push(name);
        return new Promise<void>(resolve => ends.set(name, resolve));
      });
    const settle = () => new Promise(resolve => setImmediate(resolve));
    const all = [work('a', 'a1'), work('a', 'a2'), work('a', 'a3'), work('b', 'b1'), work('a', 'a4')];
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    ends.get('a2')?.();
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const name of ['a1', 'a3', 'b1']) {
      ends.get(name)?.();
    }
    await settle();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    ends.get('a4')?.();
    await Promise.all(all);
  });

  it('are free again after work that failed', async () => {
    const places = createHostPlaces(1);
    await expect(places.take('a', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
    expect(await places.take('a', async () => 'right')).toBe('right');
  });
});
