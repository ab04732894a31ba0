import { describe, expect, it } from '@jest/globals';
import { accountId, holdId, newId } from './ids.ts';

describe('an id', () => {
  it('shows its kind and is taken for no other', () => {
    const id = newId('hold');
    expect(holdId.safeParse(id).success).toBe(true);
    expect(accountId.safeParse(id).success).toBe(false);
  });

  it('sorts by the time it was made', () => {
    expect(newId('request', 1_000) < newId('request', 2_000)).toBe(true);
  });

  it('is unique within a millisecond', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => newId('request', 1)))).toHaveProperty('size', 1_000);
  });
});
