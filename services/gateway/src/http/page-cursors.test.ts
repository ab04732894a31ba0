import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type PageCursors, withSealedCursorInside } from './page-cursors.ts';

const cursors: PageCursors = {
  open: async cursor => cursor,
  seal: async position => `sealed.${[...position].reverse().join('')}`,
};

const sealed = async (json: string) => (await withSealedCursorInside(Buffer.from(json), cursors)).toString();

describe('the cursor in the octets of an answer', () => {
  it.each([
    [
      'of a page',
      '{"rows":[{"a":1.0}],"next_cursor":"W10x"}',
      '{"rows":[{"a":1.0}],"next_cursor":"sealed.x01W"}',
    ],
    ['that is all', '{"next_cursor":"1"}', '{"next_cursor":"sealed.1"}'],
    ['before other members', '{"next_cursor":"1","b":"é"}', '{"next_cursor":"sealed.1","b":"é"}'],
    ['that is not of an alphabet', '{"a":1,"next_cursor":"é\\""}', '{"a":1,"next_cursor":"sealed.\\"é"}'],
    [
      'as long as the contract allows',
      `{"next_cursor":"${'a'.repeat(500)}"}`,
      `{"next_cursor":"sealed.${'a'.repeat(500)}"}`,
    ],
  ])('%s is sealed', async (_what, answer, expected) => {
    expect(await sealed(answer)).toBe(expected);
  });

  it.each([
    ['without the member', '{ "rows": [1.0] }'],
    ['with the member in a row', '{"rows":[{"next_cursor":"1"}]}'],
    ['with the member in text', '{"rows":["\\",\\"next_cursor\\":\\"1"]}'],
    ['with the member in text at the end', '{"row":",\\"next_cursor\\":\\"1"}'],
  ])('an answer %s keeps its octets', async (_what, answer) => {
    expect(await sealed(answer)).toBe(answer);
  });

  it('is the only thing that changes, in any answer', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"next_cursor":"1"}', ',"next_cursor":"1', '\\'),
    );
    const value = fc.jsonValue({ stringUnit: 'binary' });
    const answers = fc.record({
      before: fc.dictionary(text, fc.oneof(value, text)),
      position: fc.option(
        fc.oneof(text, fc.base64String({ minLength: 1 }), fc.stringMatching(/^[\w-]{1,40}$/)),
        { nil: undefined },
      ),
      after: fc.dictionary(text, text, { maxKeys: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(answers, async ({ before, position, after }) => {
        const answer = JSON.parse(JSON.stringify({ ...before, next_cursor: position, ...after })) as {
          next_cursor?: string;
        };
        const expected =
          answer.next_cursor === undefined
            ? answer
            : { ...answer, next_cursor: await cursors.seal(answer.next_cursor) };
        expect(await sealed(JSON.stringify(answer))).toBe(JSON.stringify(expected));
      }),
      { numRuns: 500 },
    );
  });
});
