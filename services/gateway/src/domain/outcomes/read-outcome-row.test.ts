import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readOutcomeRow } from './read-outcome-row.ts';

const columns = { email: 0, outcome: 1, date: 2, code: 3, text: 4 };
const nowMs = Date.parse('2026-07-31T15:00:00Z');
const read = (...record: string[]) => readOutcomeRow(record, columns, nowMs);
const dated = (date: string) => read('ada@a.example', 'delivered', date);

describe('a row', () => {
  test('is read with everything that it has', () => {
    expect(read(' ada@a.example ', 'Hard Bounce', '2026-07-01', '550 5.1.1', 'User unknown')).toEqual({
      outcome: {
        email: 'ada@a.example',
        outcome: 'bounced',
        observedAt: '2026-07-01T00:00:00.000Z',
        code: '550 5.1.1',
        text: 'User unknown',
      },
    });
  });

  test('without a date is of today', () => {
    const outcome = { email: 'ada@a.example', outcome: 'replied', observedAt: '2026-07-31T00:00:00.000Z' };
    expect(read('ada@a.example', 'Reply')).toEqual({ outcome });
    expect(readOutcomeRow(['ada@a.example', 'replied'], { ...columns, date: undefined }, nowMs)).toEqual({
      outcome,
    });
  });

  test.each([
    ['Delivered', 'delivered'],
    ['opened', 'delivered'],
    ['soft_bounce', 'bounced'],
    ['undeliverable', 'bounced'],
    ['REPLIED', 'replied'],
  ])('calls %s %s', (word, outcome) => {
    expect(read('ada@a.example', word)).toMatchObject({ outcome: { outcome } });
  });

  test.each([
    ['2026-07-01T12:30:00Z', '2026-07-01T12:30:00.000Z'],
    ['2026-07-01 12:30:00', '2026-07-01T12:30:00.000Z'],
    ['2026-07-01 12:30', '2026-07-01T12:30:00.000Z'],
    ['2026-07-01T12:30:00.123456+0200', '2026-07-01T10:30:00.000Z'],
    ['2026-07-01T12:30:00-05:00', '2026-07-01T17:30:00.000Z'],
    ['2026-07-01 12:30:00 UTC', '2026-07-01T12:30:00.000Z'],
    ['1782909000', '2026-07-01T12:30:00.000Z'],
    ['1782909000000', '2026-07-01T12:30:00.000Z'],
  ])('knows the moment %s', (date, observedAt) => {
    expect(dated(date)).toMatchObject({ outcome: { observedAt } });
  });

  test.each(['07/01/2026', '1.7.2026', 'yesterday', '2026-02-31', '2026-13-01', '2026-07-01T25:00:00Z', '5'])(
    'is refused for the date %s',
    date => {
      expect(dated(date)).toMatchObject({
        fault: 'invalid_date',
        detail: expect.stringContaining(`"${date}"`),
      });
    },
  );

  test('is refused without an address and for an unknown outcome', () => {
    expect(read('', 'delivered')).toMatchObject({ fault: 'email_missing' });
    expect(read('ada@a.example', 'eaten')).toMatchObject({ fault: 'unknown_outcome' });
    expect(read('ada@a.example')).toMatchObject({ fault: 'unknown_outcome' });
  });

  test('never breaks, and never hands on more than the engine takes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3_000, unit: 'binary' }), { maxLength: 6 }), record => {
        const row = readOutcomeRow(record, columns, nowMs);
        if ('outcome' in row) {
          expect(row.outcome.email.length).toBeLessThanOrEqual(1_000);
          expect(row.outcome.text?.length ?? 0).toBeLessThanOrEqual(1_000);
          expect(row.outcome.code?.length ?? 0).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
