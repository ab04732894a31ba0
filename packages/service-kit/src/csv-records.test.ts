import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CsvError } from 'csv-parse';
import { csvRecords } from './csv-records.ts';

const format = { delimiter: ',', max_record_size: 1_000 };

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield text;
}

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('records of CSV', () => {
  it('come with the line in which they end, for any chunks of the text', async () => {
    const text = 'email,name\r\nada@example.com,"Lovelace,\r\nAda"\r\n\r\nx,y "z",more\r\n';
    for (const size of [1, 2, 7, text.length]) {
      const cut = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      );
      expect(await allOf(csvRecords(pieces(...cut), format))).toEqual([
        { line: 1, record: ['email', 'name'] },
        { line: 3, record: ['ada@example.com', 'Lovelace,\r\nAda'] },
        { line: 5, record: ['x', 'y "z"', 'more'] },
      ]);
    }
  });

  it('end at the first unreadable record, even if the client sends nothing more', async () => {
    async function* dawdling() {
      yield `a,b\n"${'x'.repeat(2_000)}`;
      await new Promise(() => undefined);
    }
    await expect(allOf(csvRecords(dawdling(), format))).rejects.toThrow(CsvError);
  });

  it('throw what the text throws', async () => {
    async function* broken() {
      yield 'a,b\n';
      throw new Error('The sender has gone');
    }
    await expect(allOf(csvRecords(broken(), format))).rejects.toThrow('The sender has gone');
  });

  it('read no more of the text than the reader needs, and close it when the reader stops', async () => {
    let given = 0;
    let isLetGo = false;
    async function* endless() {
      try {
        for (;;) {
          given += 1;
          yield `${'x'.repeat(500)},y\n`.repeat(32);
        }
      } finally {
        isLetGo = true;
      }
    }
    for await (const _ of csvRecords(endless(), format)) {
      for (let turns = 0; turns < 50; turns += 1) await turn();
      break;
    }
    expect(given).toBeLessThan(20);
    for (let turns = 0; turns < 50 && !isLetGo; turns += 1) await turn();
    expect(isLetGo).toBe(true);
  });
});
