import { describe, expect, test } from '@jest/globals';
import { readList } from './read-list.ts';

function domainsOf(text: string): string[] {
  return [...readList(text, { names: 'domains' }).names];
}

describe('a list of domains', () => {
  test('is read one a line, blank lines and remarks passed over', () => {
    const text = '\ufeff# remark\r\nb.example\r\n\r\n  A.Example \r\n// remark\r\nb.example';
    expect(readList(text, { names: 'domains' })).toEqual({
      names: new Set(['b.example', 'a.example']),
      faults: [],
    });
  });

  test('is read from a JSON array', () => {
    expect(domainsOf(' ["a.example",\n"b.example"]')).toEqual(['a.example', 'b.example']);
  });

  test('holds international names as A-labels', () => {
    expect(domainsOf('bücher.example\nxn--bcher-kva.example')).toEqual(['xn--bcher-kva.example']);
  });

  test.each([
    'one-label',
    'a@b.example',
    '*.a.example',
    '.a.example',
    'a.example,b.example',
    'a..example',
    '-a.example',
    'a-.example',
    '<!doctype html>',
    '192.0.2.1',
    '[192.0.2.1]',
    'a.example # remark',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'xn--a.example',
    'a\u0000.example',
  ])('takes %j for no domain', line => {
    const { names, faults } = readList(`good.example\n${line}`, { names: 'domains' });
    expect([...names]).toEqual(['good.example']);
    expect(faults).toEqual([{ line: 2, text: line.slice(0, 80) }]);
  });

  test('knows items of an array that are no names', () => {
    expect(readList('["a.example", 5]', { names: 'domains' }).faults).toHaveLength(1);
  });
});

test('a list of local parts is read in lower case', () => {
  const { names, faults } = readList('Info\nno-reply\nsales@example.com\na b', { names: 'local parts' });
  expect([...names]).toEqual(['info', 'no-reply']);
  expect(faults.map(({ line }) => line)).toEqual([3, 4]);
});
