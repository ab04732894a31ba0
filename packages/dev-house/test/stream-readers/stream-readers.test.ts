import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beginExamination, type Examination, type Examined } from './count-examined.ts';
import { exemptions, filesThatMayRead, sourceFiles, textOf } from './listed.ts';
import { load, readers, Sender, type StreamReader } from './readers.ts';

/** Octets to send: enough that a reader which starts over for each octet examines each one thousands of times. */
const octets = 8_000;
/** Maximum steps per octet when each octet is a separate chunk: calls, blocks of code, octets searched or copied. */
const stepsPerOctetMax = 100;
/** Maximum growth of the steps for twice as many octets. A factor of 4 would mean that everything is examined again. */
const growthMax = 3;
/** Maximum number of chunks to keep as separate objects. */
const piecesMax = 512;

describe('a stream is examined once, regardless of its chunks', () => {
  let examination: Examination;

  beforeAll(async () => {
    examination = await beginExamination();
  });

  afterAll(() => examination.end());

  async function examined({ file, feed }: StreamReader, count: number): Promise<Examined> {
    const module = await load(file);
    const sender = new Sender();
    const seen = await examination.of(async () => feed(module, count, sender));
    expect(sender.taken).toBe(count);
    return seen;
  }

  it.each(readers.map((reader): [string, StreamReader] => [`${reader.file}: ${reader.worst}`, reader]))(
    '%s',
    async (_name, reader) => {
      // Does not count what is compiled and loaded with the first octets.
      await examined(reader, octets / 4);
      const once = await examined(reader, octets);
      const twice = await examined(reader, 2 * octets);
      // Otherwise the count missed the reader.
      expect(once.steps).toBeGreaterThan(reader.overNetwork ? octets / 4 : octets);
      expect(once.steps / octets).toBeLessThan(stepsPerOctetMax);
      expect(twice.steps / octets / 2).toBeLessThan(stepsPerOctetMax);
      if (!reader.overNetwork) {
        expect(twice.steps / once.steps).toBeLessThan(growthMax);
      }
      expect(twice.piecesMax).toBeLessThan(piecesMax);
    },
  );
});

describe('the list of readers', () => {
  const listed = [...readers.map(({ file }) => file), ...exemptions.flatMap(({ files }) => files)];

  it('has every file that may read a stream, with a feed or with a reason', () => {
    const found = filesThatMayRead();
    expect(found.length).toBeGreaterThan(40);
    expect(sourceFiles().length).toBeGreaterThan(1_000);
    expect(found.filter(file => !listed.includes(file))).toEqual([]);
  });

  it('lists no file that is missing, reads no stream, or occurs twice', () => {
    const found = filesThatMayRead();
    const exempt = exemptions.flatMap(({ files }) => files);
    expect(exempt.filter(file => !found.includes(file))).toEqual([]);
    expect(exempt.filter((file, index) => exempt.indexOf(file) !== index)).toEqual([]);
    expect(exempt.filter(file => readers.some(reader => reader.file === file))).toEqual([]);
    expect(readers.filter(({ file }) => !sourceFiles().includes(file))).toEqual([]);
  });

  it('needs no reader of lines but its own: that of Node looks at an unfinished line again for each portion', () => {
    expect(sourceFiles().filter(file => /\bnode:readline\b/.test(textOf(file)))).toEqual([]);
  });
});
