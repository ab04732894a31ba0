import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Fields, isBlank, type LoadOrder, type Merged, merge } from './merge.ts';

const dependents = { country: ['region', 'city'] };
const blank: Fields = { name: null, country: null, region: null, city: null, keywords: [] };

/** Stores records in memory as the store does. */
function store() {
  const loads = new Map<number, LoadOrder>();
  let fields: Fields = blank;
  let sources: Record<string, number> = {};
  return {
    say(load: LoadOrder, said: Fields): Merged {
      loads.set(load.sourceId, load);
      const merged = merge(
        { fields, sourceOf: field => loads.get(sources[field] ?? load.sourceId) ?? load },
        said,
        load,
        dependents,
      );
      ({ fields, sources } = merged);
      return merged;
    },
    state: () => structuredClone({ fields, sources }),
  };
}

function file(sourceId: number, retrievedOn: string): LoadOrder {
  return { sourceId, retrievedOn, replacesItself: false };
}

const words = fc.constantFrom(null, 'a', 'b', 'c');
const saidFields = fc.record({
  name: words,
  country: words,
  region: words,
  city: words,
  keywords: fc.constantFrom([], ['x'], ['x', 'y']),
});
const dates = fc.constantFrom('2025-01-01', '2026-01-01');

describe('merging', () => {
  it('prefers the newer source, regardless of the order of loads', () => {
    const early = store();
    early.say(file(1, '2026-02-01'), { ...blank, name: 'new' });
    early.say(file(2, '2025-02-01'), { ...blank, name: 'old', city: 'Bonn' });
    expect(early.state()).toEqual({
      fields: { ...blank, name: 'new', city: 'Bonn' },
      sources: { name: 1, city: 2 },
    });
    const late = store();
    late.say(file(2, '2025-02-01'), { ...blank, name: 'old' });
    const { overwritten } = late.say(file(3, '2026-02-01'), { ...blank, name: 'new' });
    expect(overwritten).toEqual([{ field: 'name', value: 'old', sourceId: 2 }]);
  });

  it('replaces a file with a corrected one of the same date', () => {
    const kept = store();
    kept.say(file(1, '2026-01-01'), { ...blank, name: 'Acne' });
    kept.say(file(2, '2026-01-01'), { ...blank, name: 'Acme' });
    kept.say(file(1, '2026-01-01'), { ...blank, name: 'Acne' });
    expect(kept.state().fields['name']).toBe('Acme');
  });

  it('names the newer source of equal values, and counts no change', () => {
    const kept = store();
    kept.say(file(1, '2025-01-01'), { ...blank, name: 'Acme' });
    const { isChanged, isConfirmed, sources } = kept.say(file(2, '2026-01-01'), { ...blank, name: 'Acme' });
    expect({ isChanged, isConfirmed, sources }).toEqual({
      isChanged: false,
      isConfirmed: true,
      sources: { name: 2 },
    });
  });

  it('takes a city away with its country', () => {
    const kept = store();
    kept.say(file(1, '2025-01-01'), { ...blank, country: 'DE', city: 'Bonn' });
    kept.say(file(2, '2026-01-01'), { ...blank, country: 'US' });
    expect(kept.state().fields).toMatchObject({ country: 'US', city: null });
    kept.say(file(1, '2025-01-01'), { ...blank, country: 'DE', city: 'Bonn' });
    expect(kept.state().fields).toMatchObject({ country: 'US', city: null });
  });

  it('believes the later of two readings that are of no file', () => {
    const page: LoadOrder = { sourceId: 1, retrievedOn: '2026-01-01', replacesItself: true };
    const kept = store();
    kept.say(page, { ...blank, name: 'before' });
    kept.say(page, { ...blank, name: 'after' });
    expect(kept.state().fields['name']).toBe('after');
  });

  it('changes nothing when files are imported again, with any values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(dates, fc.array(saidFields, { maxLength: 4 })), { maxLength: 4 }),
        files => {
          const kept = store();
          const loads = files.map(([date, rows], index) => ({ load: file(index + 1, date), rows }));
          for (const { load, rows } of loads) {
            for (const row of rows) kept.say(load, row);
            const state = kept.state();
            for (const row of rows) {
              const { isChanged, isConfirmed } = kept.say(load, row);
              expect({ isChanged, isConfirmed }).toEqual({ isChanged: false, isConfirmed: false });
            }
            expect(kept.state()).toEqual(state);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('never replaces a value with a blank, and keeps a source for every value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(dates, saidFields), { maxLength: 8 }), rows => {
        const kept = store();
        let hadName = false;
        for (const [index, [date, said]] of rows.entries()) {
          kept.say(file(index + 1, date), said);
          hadName ||= !isBlank(said.name);
          const { fields, sources } = kept.state();
          expect(isBlank(fields['name'] ?? null)).toBe(!hadName);
          const known = Object.keys(fields).filter(field => !isBlank(fields[field] ?? null));
          expect(Object.keys(sources).sort()).toEqual(known.sort());
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
