import { describe, expect, it } from '@jest/globals';
import { newerOf } from './newer-of.ts';

describe('what is known of something that changes', () => {
  it('is not taken back by an older answer that comes late', () => {
    const [older, newer] = [{ version: 1 }, { version: 2 }];
    expect(newerOf(undefined, older)).toBe(older);
    expect(newerOf(older, newer)).toBe(newer);
    expect(newerOf(newer, older)).toBe(newer);
    // Of one version the later answer may know more, such as how quick it is by now.
    const again = { version: 2 };
    expect(newerOf(newer, again)).toBe(again);
  });
});
