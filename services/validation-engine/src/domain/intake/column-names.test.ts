import { describe, expect, test } from '@jest/globals';
import { exportedColumnNames, nameColumns } from './column-names.ts';

describe('columns', () => {
  test('have different names with any header', () => {
    expect(nameColumns(['email', ' e\nmail', 'email', 'email (2)', '', 'email'], 8)).toEqual([
      'email',
      'e mail',
      'email (2)',
      'email (2) (2)',
      'column_5',
      'email (3)',
      'column_7',
      'column_8',
    ]);
  });

  test('are exported under distinct names, and the address column once', () => {
    expect(exportedColumnNames(['email', 'valid', 'input_valid', 'Valid', '__proto__'], 0)).toEqual([
      null,
      'input_valid (2)',
      'input_valid',
      'Valid',
      '__proto__',
    ]);
    expect(exportedColumnNames(['email', 'contact'], 1)).toEqual(['input_email', 'contact']);
  });
});
