import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkMax, divideIntoChunks, inChunks } from './address-chunks.ts';

describe('dividing addresses into chunks', () => {
  it('looks up the domains, and puts domains of one host together', async () => {
    const asked: string[] = [];
    const chunked = await divideIntoChunks(
      ['ada@one.example', 'bob@two.example', 'cyd@ONE.example', 'dan@three.example'].map((email, at) => ({
        addressNo: at + 1,
        email,
      })),
      async ({ ascii }) => {
        asked.push(ascii);
        return ascii === 'three.example' ? undefined : 'mx.shared.example';
      },
      new AbortController().signal,
    );
    // Once for each spelling; DNS has the answer by then.
    expect([...new Set(asked)].sort()).toEqual(['one.example', 'three.example', 'two.example']);
    expect(Object.fromEntries(chunked.map(({ addressNo, mailHost }) => [addressNo, mailHost]))).toEqual({
      1: 'mx.shared.example',
      2: 'mx.shared.example',
      3: 'mx.shared.example',
      4: 'three.example',
    });
  });

  it('returns nothing when it is aborted', async () => {
    const dividing = divideIntoChunks(
      [{ addressNo: 1, email: 'ada@one.example' }],
      async () => 'mx.one.example',
      AbortSignal.abort(),
    );
    await expect(dividing).rejects.toThrow('aborted');
  });

  it('puts each address into one chunk, in chunks that are not too long, and no host in chunks of different first hosts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 350 }), { maxLength: 60 }), sizes => {
        let addressNo = 0;
        const byHost = new Map(
          sizes.map(
            (size, at) => [`mx${at}.example`, Array.from({ length: size }, () => ++addressNo)] as const,
          ),
        );
        const chunked = inChunks(byHost);
        expect(chunked.map(({ addressNo: no }) => no).sort((one, other) => one - other)).toEqual(
          Array.from({ length: addressNo }, (_, at) => at + 1),
        );
        const chunks = Map.groupBy(chunked, ({ chunkNo }) => chunkNo);
        const firstHostsOf = new Map<string, Set<string>>();
        for (const chunk of chunks.values()) {
          expect(chunk.length).toBeLessThanOrEqual(chunkMax);
          const hosts = chunk.map(({ mailHost }) => mailHost);
          const [first = ''] = hosts;
          for (const host of hosts) {
            firstHostsOf.set(host, (firstHostsOf.get(host) ?? new Set()).add(first));
          }
        }
        expect([...firstHostsOf.values()].every(({ size }) => size === 1)).toBe(true);
      }),
    );
  });
});
