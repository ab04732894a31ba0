import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChangeFloor, type Look } from './change-floor.ts';

type Step =
  | { readonly kind: 'begin' | 'take' | 'end'; readonly transaction: number }
  | { readonly kind: 'read'; readonly fails: boolean }
  | { readonly kind: 'succeed' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('begin' as const, 'take' as const, 'take' as const, 'end' as const),
    transaction: fc.integer({ min: 0, max: 5 }),
  }),
  fc.record({
    kind: fc.constant('read' as const),
    fails: fc.integer({ min: 0, max: 4 }).map(each => each === 0),
  }),
  fc.record({ kind: fc.constant('succeed' as const) }),
);

describe('the floor of changes', () => {
  it('misses none, in any order in which transactions take numbers and end, even if readings fail and a successor continues', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 0, max: 20 }), (steps, before) => {
        let lastChangeNo = 0;
        const open = new Map<number, { id: string; numbers: number[] }>();
        const visible = new Set<number>();
        const seen = new Set<number>();
        const look = (): Look => ({ lastChangeNo, open: new Set([...open.values()].map(({ id }) => id)) });
        let floor: ChangeFloor | undefined;
        const read = (fails: boolean) => {
          if (!floor) {
            floor = new ChangeFloor(look());
            for (const number of visible) {
              seen.add(number);
            }
            return;
          }
          const from = floor.advance(look());
          if (!fails) {
            for (const number of visible) {
              if (number > from && number <= lastChangeNo) {
                seen.add(number);
              }
            }
            floor.settle();
          }
        };
        for (const [index, each] of steps.entries()) {
          if (index === before) {
            read(false);
          }
          if (each.kind === 'read') {
            if (floor) {
              read(each.fails);
            }
          } else if (each.kind === 'succeed') {
            floor &&= new ChangeFloor({ lastChangeNo: floor.readUpTo, open: new Set() });
          } else if (each.kind === 'begin' && !open.has(each.transaction)) {
            open.set(each.transaction, { id: `${each.transaction}/${index}`, numbers: [] });
          } else if (each.kind === 'take') {
            lastChangeNo += open.has(each.transaction) ? 1 : 0;
            open.get(each.transaction)?.numbers.push(lastChangeNo);
          } else if (each.kind === 'end') {
            for (const number of open.get(each.transaction)?.numbers ?? []) {
              visible.add(number);
            }
            open.delete(each.transaction);
          }
        }
        read(false);
        read(false);
        expect([...visible].filter(number => !seen.has(number))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads nothing twice where no transaction was open', () => {
    const floor = new ChangeFloor({ lastChangeNo: 7, open: new Set() });
    expect(floor.advance({ lastChangeNo: 9, open: new Set() })).toBe(7);
    floor.settle();
    expect(floor.advance({ lastChangeNo: 9, open: new Set() })).toBe(9);
  });
});
