import { describe, expect, test } from '@jest/globals';
import { findDelimiter, findLayout, noDelimiter } from './table-layout.ts';

describe('the delimiter', () => {
  test.each([',', ';', '\t', '|', '^', '~', ':'])('%j is found', delimiter => {
    const lines = [
      ['name', 'e-mail', 'city'],
      ['Ada', 'ada@a.example', 'London'],
      ['Grace', 'grace@b.example', 'New York'],
    ];
    expect(findDelimiter(lines.map(line => line.join(delimiter)).join('\n'))).toBe(delimiter);
  });

  test('is the one that leaves the addresses whole', () => {
    const lines = [
      'Lovelace, Ada;ada@a.example',
      'Hopper, Grace;grace@b.example',
      'Liskov, Barbara;b@c.example',
    ];
    expect(findDelimiter(lines.join('\r\n'))).toBe(';');
  });

  test('is not looked for inside quotes', () => {
    expect(findDelimiter('"a;b;c",ada@a.example\n"d;e;f",grace@b.example\n')).toBe(',');
  });

  test('is none where each line is an address, however some of them are mistyped', () => {
    expect(findDelimiter('ada@a.example\ngrace,hopper@b.example\nb@c.example\n')).toBe(noDelimiter);
    expect(findDelimiter('ada@a.example')).toBe(noDelimiter);
    expect(findDelimiter('')).toBe(noDelimiter);
  });
});

describe('the column of the addresses', () => {
  const people = [
    ['Name', ' E-Mail ', 'Manager'],
    ['Ada', 'ada@a.example', 'boss@a.example'],
    ['Grace', 'grace@b.example', 'boss@b.example'],
  ];

  test('is found by what the header calls it', () => {
    expect(findLayout(people)).toEqual({ layout: { column: 1, columnName: 'E-Mail' } });
  });

  test.each(['email', 'EMAIL', 'Email address', 'e_mail', 'Adresse e-mail', 'Correo electrónico', 'mail'])(
    'may be called %s',
    title => {
      expect(
        findLayout([
          ['id', title],
          ['1', ''],
        ]),
      ).toEqual({ layout: { column: 1, columnName: title } });
    },
  );

  test('is found by its values where the header says something else, or is missing', () => {
    expect(
      findLayout([
        ['id', 'contact'],
        ['1', 'ada@a.example'],
      ]),
    ).toEqual({
      layout: { column: 1, columnName: 'contact' },
    });
    expect(
      findLayout([
        ['1', 'ada@a.example'],
        ['2', 'not an address'],
      ]),
    ).toEqual({ layout: { column: 1 } });
    expect(findLayout([['ada@a.example']])).toEqual({ layout: { column: 0 } });
  });

  test('is not one that is called so and holds something else', () => {
    const rows = [
      ['mail', 'contact'],
      ['yes', 'ada@a.example'],
      ['no', 'grace@b.example'],
    ];
    expect(findLayout(rows)).toEqual({ layout: { column: 1, columnName: 'contact' } });
  });

  test('may be named, or numbered from 1', () => {
    expect(findLayout(people, 'manager')).toEqual({ layout: { column: 2, columnName: 'Manager' } });
    expect(findLayout(people, '3')).toEqual({ layout: { column: 2, columnName: 'Manager' } });
    expect(findLayout(people.slice(1), '3')).toEqual({ layout: { column: 2 } });
  });

  test('is missed in a sentence', () => {
    expect(findLayout([['a', 'b']])).toEqual({
      fault: 'No column of the list contains addresses; select one with --column.',
    });
    expect(findLayout(people, 'post')).toEqual({
      fault: 'The list has no column "post". Its first line is: "Name", "E-Mail", "Manager".',
    });
  });
});
