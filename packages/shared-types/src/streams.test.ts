import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createGathering, createTextGathering, type LineRules, linesOf } from './streams.ts';

const rules: LineRules = {
  ends: 'any',
  keepsUnfinished: true,
  charactersMax: 1_000,
  tooLong: line => new RangeError(`Line ${line} is too long.`),
};

async function* arriving(parts: readonly string[]): AsyncGenerator<string> {
  yield* parts;
}

async function allOf(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function linesIn(parts: readonly string[], given: Partial<LineRules> = {}): Promise<string[]> {
  return allOf(linesOf(arriving(parts), { ...rules, ...given }));
}

describe('lines of a text that arrives in portions', () => {
  it('are the same however the text is cut', async () => {
    const piece = fc
      .array(fc.constantFrom('a', '\r', '\n', '\r\n', 'ä', '\u2028', ''))
      .map(all => all.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(piece), async parts => {
        expect(await linesIn(parts)).toEqual(parts.join('').split(/\r\n|\n|\r/));
        expect(await linesIn(parts, { ends: 'lf' })).toEqual(parts.join('').split('\n'));
      }),
    );
  });

  it('end at CR LF once, where it is cut in two and where nothing arrives in between', async () => {
    expect(await linesIn(['a\r', '', '\nb\r'])).toEqual(['a', 'b', '']);
    expect(await linesIn(['a\r', '\nb'], { ends: 'lf' })).toEqual(['a\r', 'b']);
  });

  it('leave the unfinished one out where that is wanted', async () => {
    expect(await linesIn(['a\nb', 'c'], { keepsUnfinished: false })).toEqual(['a']);
    expect(await linesIn([])).toEqual(['']);
  });

  it.each([
    ['finished', [`a\n${'b'.repeat(1_001)}\n`]],
    ['unfinished', ['a\n', ...'b'.repeat(1_001)]],
  ])('are refused by their number where one is too long and %s', async (_what, parts) => {
    await expect(linesIn(parts)).rejects.toThrow('Line 2 is too long.');
    expect(await linesIn(['b'.repeat(1_000)])).toHaveLength(1);
  });

  it('are read no further once one is too long', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        read += 1;
        yield 'a';
      }
    }
    await expect(allOf(linesOf(endless(), rules))).rejects.toThrow(RangeError);
    expect(read).toBe(1_001);
  });
});

describe('a gathering', () => {
  it('answers the whole, then begins with nothing', () => {
    const text = createTextGathering();
    for (const character of 'abc'.repeat(1_000)) {
      text.add(character);
    }
    expect(text.length).toBe(3_000);
    expect(text.take()).toBe('abc'.repeat(1_000));
    expect([text.length, text.take()]).toEqual([0, '']);
  });

  it('joins a few hundred parts at a time, and hands a single one out as it is', () => {
    let joins: number[] = [];
    const octets = createGathering<Uint8Array>(parts => {
      joins.push(parts.length);
      return Buffer.concat(parts);
    });
    for (let index = 0; index < 1_000; index += 1) {
      octets.add(Uint8Array.of(index % 256));
    }
    expect(Buffer.from(octets.take())).toEqual(
      Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256)),
    );
    expect(joins).toEqual([256, 256, 256, 3 + 1_000 - 768]);
    joins = [];
    const whole = Uint8Array.of(1, 2);
    octets.add(whole);
    expect(octets.take()).toBe(whole);
    expect(joins).toEqual([]);
  });
});
