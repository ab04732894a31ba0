import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeRowBody } from './deliver-batch.ts';

const value = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(each => !Object.is(each, -0)),
  fc.boolean(),
  fc.constant(null),
);

describe('the body of a row', () => {
  it('has its members in the order of the columns, with any names', () => {
    expect(writeRowBody(['b', '2019', 'a', '__proto__', '1'], ['x', 1, true, 'p', null])).toBe(
      '{"b":"x","2019":1,"a":true,"__proto__":"p","1":null}',
    );
  });

  it('says null for what a row does not have', () => {
    expect(writeRowBody(['a', 'b'], ['x'])).toBe('{"a":"x","b":null}');
  });

  it('is JSON that says what the row says', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), value), {
          selector: ([name]) => name,
          maxLength: 20,
        }),
        cells => {
          const body = writeRowBody(
            cells.map(([name]) => name),
            cells.map(([, each]) => each),
          );
          expect(new Map(Object.entries(JSON.parse(body ?? '')))).toEqual(new Map(cells));
        },
      ),
    );
  });

  it('is none beyond 100,000 octets', () => {
    const fits = 'é'.repeat(49_996);
    expect(Buffer.byteLength(writeRowBody(['a'], [fits]) ?? '')).toBe(100_000);
    expect(writeRowBody(['a'], [`${fits}x`])).toBeUndefined();
  });
});
