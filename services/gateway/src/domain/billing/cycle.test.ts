import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cycleAt, monthsAfter, monthsSince } from './cycle.ts';

const anchors = fc.date({
  min: new Date('2000-01-01T00:00:00Z'),
  max: new Date('2100-12-31T23:59:59Z'),
  noInvalidDate: true,
});
const months = fc.integer({ min: 0, max: 600 });

describe('a billing cycle', () => {
  it.each([
    ['2026-01-31T10:00:00.000Z', 1, '2026-02-28T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', 2, '2026-03-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', 3, '2026-04-30T10:00:00.000Z'],
    ['2024-01-31T23:59:59.999Z', 1, '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T00:00:00.000Z', 12, '2025-02-28T00:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 48, '2028-02-29T00:00:00.000Z'],
    ['2026-12-15T00:00:00.000Z', 1, '2027-01-15T00:00:00.000Z'],
  ])('anchored at %s is, %d months on, at %s', (anchor, count, expected) => {
    expect(monthsAfter(new Date(anchor), count).toISOString()).toBe(expected);
  });

  it('tiles time: each cycle ends where the next begins, without gap or overlap', () => {
    fc.assert(
      fc.property(anchors, months, (anchor, count) => {
        const cycle = cycleAt(anchor, monthsAfter(anchor, count));
        expect(cycle.startsAt).toEqual(monthsAfter(anchor, count));
        const next = cycleAt(anchor, cycle.endsAt);
        expect(next.startsAt).toEqual(cycle.endsAt);
        expect(next.endsAt.getTime()).toBeGreaterThan(next.startsAt.getTime());
      }),
    );
  });

  it('holds every moment in exactly one cycle', () => {
    fc.assert(
      fc.property(anchors, fc.integer({ min: 0, max: 40 * 366 * 86_400_000 }), (anchor, laterMs) => {
        const moment = new Date(anchor.getTime() + laterMs);
        const { startsAt, endsAt } = cycleAt(anchor, moment);
        expect(startsAt.getTime()).toBeLessThanOrEqual(moment.getTime());
        expect(endsAt.getTime()).toBeGreaterThan(moment.getTime());
        expect(monthsAfter(anchor, monthsSince(anchor, moment))).toEqual(startsAt);
      }),
    );
  });

  it('keeps to the anchor’s day and hour, or to the last day of a shorter month', () => {
    fc.assert(
      fc.property(anchors, months, (anchor, count) => {
        const start = monthsAfter(anchor, count);
        const dayAfter = new Date(start.getTime() + 86_400_000);
        const isLastDay = dayAfter.getUTCDate() === 1;
        expect(start.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
        expect(
          start.getUTCDate() === anchor.getUTCDate() ||
            (isLastDay && start.getUTCDate() < anchor.getUTCDate()),
        ).toBe(true);
        expect((start.getUTCMonth() - anchor.getUTCMonth() + 24 * 600) % 12).toBe(count % 12);
      }),
    );
  });
});
