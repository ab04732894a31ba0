import { describe, expect, test } from '@jest/globals';
import { judgeList } from './judge-list.ts';
import { listKind } from './list-kinds.ts';

const disposable = listKind('disposable');
const current = new Set(numbered(100));

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `d${index}.example`);
}

function judge(names: readonly string[], faults = 0, mayShrink = false, kind = disposable) {
  const faultLines = Array.from({ length: faults }, (_, line) => ({ line: line + 1, text: '<p>' }));
  return judgeList(kind, current, { names: new Set(names), faults: faultLines }, mayShrink);
}

describe('a list', () => {
  test('is taken with a count of what it changes', () => {
    expect(judge([...numbered(90), 'new.example'])).toEqual({
      accepted: true,
      change: { added: 1, removed: 10 },
    });
  });

  test('is refused when it is empty, however much it may shrink', () => {
    expect(judge([], 0, true)).toMatchObject({ accepted: false });
  });

  test('may lose half of its names, and more only where that is wanted', () => {
    expect(judge(numbered(50))).toMatchObject({ accepted: true });
    expect(judge(numbered(49))).toMatchObject({ accepted: false, fault: expect.stringContaining('--force') });
    expect(judge(numbered(49), 0, true)).toMatchObject({ accepted: true, change: { added: 0, removed: 51 } });
  });

  test('may hold one bad line in a hundred', () => {
    expect(judge(numbered(99), 1)).toMatchObject({ accepted: true });
    expect(judge(numbered(99), 2, true)).toMatchObject({
      accepted: false,
      fault: '2 lines are not valid domains; the first is line 1: <p>',
    });
  });

  test('is refused when it calls a large provider disposable', () => {
    expect(judge([...numbered(100), 'gmail.com'], 0, true)).toEqual({
      accepted: false,
      fault: 'The list contains gmail.com, which is not a disposable domain.',
    });
    expect(judge([...numbered(100), 'gmail.com'], 0, false, listKind('personal'))).toMatchObject({
      accepted: true,
    });
  });
});
