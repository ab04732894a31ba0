import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { createDownloadPlaces } from './download.ts';

describe('places for downloads', () => {
  it('are so many for an account and so many in all, and free again when they are left, once', () => {
    const places = createDownloadPlaces(3, 2);
    const [one, other] = [newId('account'), newId('account')];
    const first = places.enter(one);
    expect(places.enter(one)).toBeInstanceOf(Function);
    expect(places.enter(one)).toBe('taken_by_account');
    expect(places.enter(other)).toBeInstanceOf(Function);
    expect(places.enter(other)).toBe('all_taken');
    (first as () => void)();
    (first as () => void)();
    expect(places.enter(other)).toBeInstanceOf(Function);
    expect(places.enter(one)).toBe('all_taken');
  });
});
