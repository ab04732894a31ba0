import { describe, expect, test } from '@jest/globals';
import { splitEntries } from './open-list.ts';

describe('a pasted line', () => {
  test.each<[string, string[]]>([
    ['ada@a.example', ['ada@a.example']],
    ['  ada@a.example  ', ['ada@a.example']],
    [
      'a@a.example,b@a.example;c@a.example\td@a.example',
      ['a@a.example', 'b@a.example', 'c@a.example', 'd@a.example'],
    ],
    ['a@a.example, b@a.example,', ['a@a.example', 'b@a.example']],
    ['a@a.example b@a.example', ['a@a.example', 'b@a.example']],
    ['Ada Lovelace <ada@a.example>', ['Ada Lovelace <ada@a.example>']],
    [
      'Lovelace, Ada <ada@a.example>; Hopper, Grace <g@a.example>',
      ['Lovelace, Ada <ada@a.example>', 'Hopper, Grace <g@a.example>'],
    ],
    ['"Lovelace, Ada" <ada@a.example>, g@a.example', ['"Lovelace, Ada" <ada@a.example>', 'g@a.example']],
    ['"a,b"@a.example, c@a.example', ['"a,b"@a.example', 'c@a.example']],
    ['<ada@a.example>,<g@a.example>', ['<ada@a.example>', '<g@a.example>']],
    ['nonsense, ada@a.example', ['nonsense', 'ada@a.example']],
    ['5" disk, ada@a.example', ['5" disk', 'ada@a.example']],
    ['a < b, ada@a.example', ['a < b', 'ada@a.example']],
    [',;\t ,', []],
  ])('%j holds %j', (line, entries) => {
    expect(splitEntries(line)).toEqual(entries);
  });
});
