import { describe, expect, it } from '@jest/globals';
import { parseSql } from './sql-file.ts';

describe('a .sql file', () => {
  it('has named statements with their parameters in order', () => {
    const file = `-- What every statement here is about.

-- name: balance(account_id, now?)
-- prepared
-- not null: available, held
-- Why it is so.
SELECT $1, $2 AS available,
  -- An indented comment is part of the statement.
  $2 AS held;

-- name: newest()
SELECT 1
`;
    expect(parseSql(file)).toEqual([
      {
        name: 'balance',
        parameters: [
          { name: 'account_id', isNullable: false },
          { name: 'now', isNullable: true },
        ],
        isPrepared: true,
        notNull: ['available', 'held'],
        text: 'SELECT $1, $2 AS available,\n  -- An indented comment is part of the statement.\n  $2 AS held',
      },
      { name: 'newest', parameters: [], isPrepared: false, notNull: [], text: 'SELECT 1' },
    ]);
  });

  it.each([
    ['a name line without parameters', '-- name: newest\nSELECT 1', 'names no statement'],
    [
      'a parameter that is not used',
      '-- name: newest(account_id)\nSELECT 1',
      'names 1 parameters and uses 0',
    ],
    ['a parameter that is not named', '-- name: newest(one)\nSELECT $2', 'names 1 parameters and uses 1'],
    [
      'two statements of one name',
      '-- name: newest()\nSELECT 1;\n-- name: newest()\nSELECT 2',
      'Two statements',
    ],
  ])('is refused with %s', (_fault, file, message) => {
    expect(() => parseSql(file)).toThrow(message);
  });
});
