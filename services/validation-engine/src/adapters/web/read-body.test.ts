import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { readBody } from './read-body.ts';

describe('a body', () => {
  test('is put together up to its bound', async () => {
    const body = await readBody(Readable.from([Buffer.from('abc'), Buffer.from('def')]), 6);
    expect(Buffer.from(body ?? []).toString()).toBe('abcdef');
  });

  test('is given up as soon as it is longer, even where it never ends', async () => {
    let produced = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          produced += 1;
          yield Buffer.alloc(1_000);
        }
      })(),
    );
    expect(await readBody(endless, 10_000)).toBeUndefined();
    expect(produced).toBeLessThan(100);
    expect(endless.destroyed).toBe(true);
  });

  test('that breaks off is an error', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('reset'));
      },
    });
    await expect(readBody(broken, 10)).rejects.toThrow('reset');
  });
});
