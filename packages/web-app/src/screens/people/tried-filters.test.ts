import { describe, expect, it } from '@jest/globals';
import { keepTried, readTried, triedFilters } from './tried-filters.ts';

/** What a tab keeps, as browsers have it. */
function openStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    clear: () => kept.clear(),
    key: index => [...kept.keys()][index] ?? null,
    getItem: key => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: key => void kept.delete(key),
  };
}

describe('filters that are tried', () => {
  it('stand in the address while they fit', () => {
    const storage = openStorage();
    const filters = { countries: ['DE'] };
    expect(keepTried(filters, storage)).toEqual({ filters, kept: undefined });
    expect(triedFilters(readTried({ filters }), storage)).toEqual(filters);
    expect(storage.length).toBe(0);
  });

  it('are kept by the tab when they are too many for an address', () => {
    const storage = openStorage();
    const filters = {
      company_domains: Array.from({ length: 100 }, (_, each) => `${'x'.repeat(60)}${each}.test`),
    };
    const address = keepTried(filters, storage);
    expect(address).toEqual({ filters: undefined, kept: true });
    expect(triedFilters(readTried({ kept: true }), storage)).toEqual(filters);
  });

  it('are none where the tab keeps nothing, or something else', () => {
    const storage = openStorage();
    expect(triedFilters({ kept: true }, storage)).toBeUndefined();
    storage.setItem('mailproof-tried-filters', '{');
    expect(triedFilters({ kept: true }, storage)).toBeUndefined();
    expect(readTried({ kept: 'yes', filters: 'CEO' })).toEqual({ filters: undefined, kept: undefined });
  });
});
