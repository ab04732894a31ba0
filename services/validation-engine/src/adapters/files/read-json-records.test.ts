import { describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import fc from 'fast-check';
import { IntakeFault } from '../../domain/intake/intake-fault.ts';
import { type JsonForm, openJson } from '../../domain/intake/open-json.ts';
import { readJsonRecords } from './read-json-records.ts';

async function* piecesOf(octets: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let begin = 0, turn = 0; begin < octets.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? octets.length;
    yield octets.subarray(begin, begin + length);
    begin += length;
  }
}

/** Reads JSON that arrives in pieces of these lengths. */
async function read(json: string | Uint8Array, form: JsonForm, lengths: readonly number[] = [70_000]) {
  const octets = Buffer.from(json as string);
  const { rows, names } = await openJson(piecesOf(octets, lengths), form, readJsonRecords);
  const cells: (readonly string[])[] = [];
  for await (const row of rows) {
    cells.push(row.cells);
  }
  return { names: names?.(), cells };
}

const faultOf = (json: string | Uint8Array, form: JsonForm, lengths?: readonly number[]) =>
  read(json, form, lengths).then(
    () => 'accepted',
    (error: unknown) => {
      if (!(error instanceof IntakeFault)) {
        throw error;
      }
      expect(error.code).toBe('file_not_readable');
      return error.message;
    },
  );

const people = [
  'ada@a.example',
  { email: 'grace@a.example', name: 'Grace "Amazing" Hopper', born: 1906, navy: true },
  { name: null, email: 'alan@a.example', city: 'Wilmslow' },
  { email: null },
];
const asRead = {
  names: ['email', 'name', 'born', 'navy', 'city'],
  cells: [
    ['ada@a.example'],
    ['grace@a.example', 'Grace "Amazing" Hopper', '1906', 'true'],
    ['alan@a.example', '', '', '', 'Wilmslow'],
    [''],
  ],
};

describe('JSON records', () => {
  it('are rows, with a column for each field, in both forms', async () => {
    expect(await read(JSON.stringify(people, undefined, 2), 'array')).toEqual(asRead);
    const lines = people.map(each => JSON.stringify(each));
    expect(await read(lines.join('\n'), 'lines')).toEqual(asRead);
    expect(await read(`\ufeff\r\n${lines.join('\r\n\r\n')}\r\n`, 'lines')).toEqual(asRead);
  });

  it('keep the digits of numbers', async () => {
    const json = '[{"email":"a@a.example","id":12345678901234567890,"share":1.10,"small":-2e-3}]';
    expect((await read(json, 'array', [1])).cells).toEqual([
      ['a@a.example', '12345678901234567890', '1.10', '-2e-3'],
    ]);
  });

  it('may be none, which the list then refuses', async () => {
    expect(await read('[]', 'array')).toEqual({ names: ['email'], cells: [] });
    expect(await read('\n\n', 'lines')).toEqual({ names: ['email'], cells: [] });
  });

  const long = 'x'.repeat(limits.cellCharactersMax + 1);
  const record = (fields: string) => `[{"email":"a@a.example"},{"email":"b@a.example",${fields}}]`;
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `"f${at}":${at}`).join(',');

  it.each([
    ['nothing', '', /^The body is empty/],
    ['an object', '{"email":"a@a.example"}', /^The body is not an array/],
    ['text after the array', '["a@a.example"] ["b@a.example"]', /^The body has text after the end/],
    ['a cut array', '["a@a.example","b@a.exa', /^Row 2 is not valid JSON/],
    ['an array without an end', '["a@a.example"', /^Row 2 is cut off/],
    ['a cut object', '["a@a.example",{"email":"b@a.example"', /^Row 2 is cut off/],
    ['a trailing comma', '["a@a.example",]', /^Row 2 is missing: there is a comma too many/],
    ['a trailing comma in an object', record('"a":1,'), /^Row 2 is not valid JSON: the name/],
    ['no comma', '["a@a.example" "b@a.example"]', /^After row 1, there must be a comma/],
    ['no colon', record('"a" 1'), /^Row 2 is not valid JSON: a colon/],
    ['no value', record('"a":'), /^Row 2 is not valid JSON: a value/],
    ['single quotes', "['a@a.example']", /^Row 1 is not valid JSON/],
    ['a comment', '["a@a.example", /* b */ "b"]', /^Row 2 is not valid JSON/],
    ['NaN', record('"a":NaN'), /^Row 2 is not valid JSON/],
    ['a leading zero', record('"a":01'), /^Row 2 is not valid JSON/],
    ['a raw line break in text', '["a@a.example","b\n"]', /^Row 2 is not valid JSON/],
    ['a number as a row', '["a@a.example",1]', /^Row 2 must be an address as text/],
    ['null as a row', '["a@a.example",null]', /^Row 2 must be an address as text/],
    ['an array as a row', '["a@a.example",["b"]]', /^Row 2 must be an address as text/],
    ['no address', '["a@a.example",{"Email":"b@a.example"}]', /^Row 2 has no field “email”/],
    ['a nested object', record('"a":{"b":1}'), /^Row 2: The field “a” is an object/],
    ['a nested array', record('"a":[]'), /^Row 2: The field “a” is an object or an array/],
    ['deep nesting', `["a@a.example",${'['.repeat(1_000_000)}`, /^Row 2 must be/],
    [
      'deep nesting in a field',
      record(`"a":${'{"a":'.repeat(200_000)}`),
      /^Row 2: The field “a” is an object/,
    ],
    ['a name twice', record('"a":1,"a":2'), /^Row 2 has the field “a” twice/],
    ['an escaped name twice', record('"a":1,"\\u0061":2'), /^Row 2 has the field “a” twice/],
    ['__proto__', record('"__proto__":"x"'), /^Row 2: a field cannot be named “__proto__”/],
    ['a large number', record('"a":1e400'), /^Row 2: The field “a” is a number that is too large/],
    ['NUL', record('"a":"\\u0000"'), /^Row 2: The field “a” contains the character NUL/],
    ['NUL in a name', record('"\\u0000":1'), /^Row 2: The name of a field contains the character NUL/],
    ['half a surrogate pair', record('"a":"\\ud83d"'), /^Row 2: The field “a” contains half of a surrogate/],
    ['the other half', '["a@a.example","\\ude00@a.example"]', /^Row 2: The address contains half of a sur/],
    ['a long cell', record(`"a":"${long}"`), /^Row 2: the field “a” has 32768 characters/],
    ['a long name', record(`"${'n'.repeat(201)}":1`), /^Row 2: the name of a field has 201 characters/],
    ['too many fields', record(fields(limits.jobColumnsMax)), /^Row 2: “f199” is one more field/],
    ['endless text', `["a@a.example","${'x'.repeat(3_000_000)}`, /^Row 2 has more than 1000000 characters/],
    ['endless space', `["a@a.example"${' '.repeat(3_000_000)}`, /^Row 2 has more than 1000000 characters/],
    ['endless digits', `[${'1'.repeat(3_000_000)}`, /^Row 1 has more than 1000000 characters/],
  ])('with %s are refused with their row', async (_what, json, words) => {
    expect(await faultOf(json, 'array')).toMatch(words);
    if (json.length < 10_000) {
      expect(await faultOf(json, 'array', [1])).toMatch(words);
    }
  });

  it.each([
    ['two values on a line', '"a@a.example"\n"b@a.example" "c"', /^Line 2 has more than one value/],
    ['a comma after a line', '"a@a.example"\n"b@a.example",\n', /^Line 2 has more than one value/],
    ['a cut line', '"a@a.example"\n{"email":"b@a.example"', /^Line 2 is cut off/],
    ['a cut text', '"a@a.example"\n\n"b@a.exa', /^Line 3 is not valid JSON/],
    ['an array', '["a@a.example"]', /^Line 1 must be an address as text/],
    ['a long line', `"a@a.example"\n"${'x'.repeat(1_000_000)}"`, /^Line 2 has more than 1000000 characters/],
    ['an object over two lines', '{"email":\n"a@a.example"}', /^Line 1 is cut off/],
  ])('in lines with %s are refused with their line', async (_what, json, words) => {
    expect(await faultOf(json, 'lines')).toMatch(words);
  });

  it('may be at most twice as many lines as rows', async () => {
    await expect(read('\n'.repeat(limits.jobRowsMax * 2 + 1), 'lines')).rejects.toMatchObject({
      code: 'too_many_rows',
    });
  });

  it.each([
    ['not UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), /not UTF-8/],
    ['with NUL', Buffer.from('["a\0"]'), /binary/],
    ['compressed', Buffer.from([0x1f, 0x8b, 8, 0]), /compressed/],
  ])('that are %s are refused', async (_what, json, words) => {
    expect(await faultOf(json, 'array')).toMatch(words);
    expect(await faultOf(json, 'lines')).toMatch(words);
  });
});

const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('"', '\\', ',', '{', '\n', 'é', '😀', '\u2028'),
      fc.string({ maxLength: 1 }),
    ),
    maxLength: 12,
  })
  .map(each => each.replaceAll('\0', ''));
const field = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const name = text.filter(each => each !== '__proto__' && each !== 'email');
const row = fc.oneof(
  text,
  fc
    .tuple(fc.dictionary(name, field, { maxKeys: 5, noNullPrototype: true }), fc.option(text))
    .map(([others, email]) => ({ ...others, email })),
);
const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** What a reader that has the whole value makes of it. */
function modelOf(rows: readonly unknown[]) {
  const columns = ['"email"'];
  return rows.map(each => {
    const fields = Object.entries(typeof each === 'string' ? { email: each } : (each as object));
    const made: string[] = [];
    for (const [name, value] of fields) {
      const key = JSON.stringify(name);
      if (!columns.includes(key)) columns.push(key);
      const at = columns.indexOf(key);
      while (made.length < at) made.push('');
      made[at] = value === null ? '' : typeof value === 'number' ? JSON.stringify(value) : String(value);
    }
    return made;
  });
}

function textOf(form: JsonForm, rows: readonly unknown[]): string {
  return form === 'array' ? JSON.stringify(rows) : rows.map(each => JSON.stringify(each)).join('\n');
}

function parsedAs(form: JsonForm, json: string): unknown[] {
  const lines = json.split('\n').filter(line => line.trim() !== '');
  return form === 'array' ? (JSON.parse(json) as unknown[]) : lines.map(line => JSON.parse(line) as unknown);
}

describe('any records', () => {
  it('are read as written, in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 8 }),
        lengths,
        fc.constantFrom(undefined, 1),
        async (rows, pieces, indent) => {
          const expected = modelOf(rows.map(each => JSON.parse(JSON.stringify(each))));
          expect((await read(JSON.stringify(rows, undefined, indent), 'array', pieces)).cells).toEqual(
            expected,
          );
          const lines = rows.map(each => JSON.stringify(each)).join('\n');
          expect((await read(lines, 'lines', pieces)).cells).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each<JsonForm>(['array', 'lines'])(
    'that are damaged are refused, unless they are still JSON: %s',
    async form => {
      const damage = fc.record({
        at: fc.nat(),
        removed: fc.nat({ max: 3 }),
        added: fc.string({
          unit: fc.constantFrom('"', ',', '[', ']', '{', '}', ':', '\\', '1', 'e', ' ', 'u', '\n'),
          maxLength: 3,
        }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(row, { minLength: 1, maxLength: 4 }),
          damage,
          lengths,
          async (rows, { at, removed, added }, pieces) => {
            const whole = textOf(form, rows);
            const place = at % (whole.length + 1);
            const json = (whole.slice(0, place) + added + whole.slice(place + removed)).toWellFormed();
            const outcome = await faultOf(json, form, pieces);
            if (outcome === 'accepted') {
              expect((await read(json, form)).cells).toHaveLength(parsedAs(form, json).length);
            }
          },
        ),
        { numRuns: 1_000 },
      );
    },
  );
});
