import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { createDownloadSlots } from './download.ts';

describe('slots for downloads', () => {
  it('are so many for an account and so many in all, and free again when they are left, once', () => {
    const slots = createDownloadSlots(3, 2);
    const [one, other] = [newId('account'), newId('account')];
    const first = slots.enter(one);
    expect(slots.enter(one)).toBeInstanceOf(Function);
    expect(slots.enter(one)).toBe('taken_by_account');
    expect(slots.enter(other)).toBeInstanceOf(Function);
    expect(slots.enter(other)).toBe('all_taken');
    (first as () => void)();
    (first as () => void)();
    expect(slots.enter(other)).toBeInstanceOf(Function);
    expect(slots.enter(one)).toBe('all_taken');
  });
});
