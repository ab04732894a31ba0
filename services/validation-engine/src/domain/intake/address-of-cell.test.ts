import { describe, expect, test } from '@jest/globals';
import { safeCell } from '@mailproof/shared-types';
import { addressOfCell } from './address-of-cell.ts';

function read(cell: string) {
  const found = addressOfCell(cell);
  return 'address' in found ? [found.address.input, found.name] : found.fault;
}

describe('a cell with an address', () => {
  test.each([
    '"ada@a.example",',
    '“ada@a.example”;',
    '„ada@a.example“',
    '«ada@a.example».',
    '‘ada@a.example’',
    "'ada@a.example'",
    'ada@a.example.',
    'ada@a.example,',
    'ada@a.example;',
    'ada@a.example ;,. ',
    '<ada@a.example>',
    '<ada@a.example>,',
    'mailto:ada@a.example',
    '<MAILTO:ada@a.example>;',
    '\u200bada@a.example',
    '\ufeff"ada@a.example"\u200b,',
    '\u2068ada@a.example\u2069',
    '\u00a0ada@a.example\u3000',
  ])('of which lists have more than that, %j, is read', cell => {
    expect(read(cell)).toEqual(['ada@a.example', '']);
  });

  test.each([
    ['"Ada L" <ada@a.example>', ['ada@a.example', 'Ada L']],
    ['“Ada” <ada@a.example>,', ['ada@a.example', 'Ada']],
    ['"Ada <ada@a.example>"', ['ada@a.example', 'Ada']],
    ['Ada <mailto:ada@a.example>', ['ada@a.example', 'Ada']],
    ["O'Neil <o'neil@a.example>", ["o'neil@a.example", "O'Neil"]],
  ])('and a name, %j, is both', (cell, both) => {
    expect(read(cell)).toEqual(both);
  });

  test.each(['"a b"@a.example', "o'neil@a.example", "'o@a.example", 'jo\u0308rg@a.example'])(
    'stays as it is where it is one as it stands: %j',
    cell => {
      expect(read(cell)).toEqual([cell, '']);
    },
  );

  test.each(['-plus@a.example', '=ada@a.example', '+1@a.example', '"=a"@a.example', '"a;=b"@a.example'])(
    'is found again in a file of ours: %j',
    address => {
      expect(safeCell(address)).not.toBe(address);
      expect(read(safeCell(address))).toEqual([address, '']);
    },
  );
});

describe('a cell without one', () => {
  test.each([
    ['', 'blank'],
    [' \u200b\u00a0', 'blank'],
    [',', 'at_sign_missing'],
    ['""', 'at_sign_missing'],
    ['ad\u200ba@a.example', 'invisible_character'],
    ['"ada\u2069@a.example",', 'invisible_character'],
    ['Ada <ad\u00ada@a.example>', 'invisible_character'],
    ['ada\ufffd@a.example', 'not_unicode'],
    ['ada@a.example\ud800', 'not_unicode'],
    ['ada@a.example\u200b\udc00', 'not_unicode'],
    ['"ada@a.example', 'quotes_unbalanced'],
  ])('%j says why: %s', (cell, fault) => {
    expect(read(cell)).toBe(fault);
  });
});
