import { describe, expect, test } from '@jest/globals';
import { calmMoments, processorCounters, watchStolenTime } from './stolen-time.ts';

describe('the time of the processors', () => {
  test('is read from the first line, guests left out', () => {
    const stat = 'cpu  100 1 50 800 9 2 8 30 77 66\ncpu0 50 0 25 400 4 1 4 15 0 0\n';
    expect(processorCounters(() => stat)).toEqual({ all: 1_000, stolen: 30 });
  });

  test.each(['', 'cpu  100 1 50 800 9 2 8\n', 'intr 1 2 3 4 5 6 7 8 9\n'])('is not known from %j', stat => {
    expect(processorCounters(() => stat)).toBeUndefined();
  });

  test('is not known where there is no such file', () => {
    const absent = () => {
      throw new Error('ENOENT');
    };
    expect(processorCounters(absent)).toBeUndefined();
  });
});

describe('the stolen share', () => {
  test('is that of the time since the start', () => {
    const readings = [
      { all: 1_000, stolen: 900 },
      { all: 3_000, stolen: 1_000 },
    ];
    expect(watchStolenTime(() => readings.shift())()).toBe(5);
  });

  test.each([
    ['nothing was counted', [undefined, undefined]],
    [
      'no time has passed',
      [
        { all: 1, stolen: 0 },
        { all: 1, stolen: 0 },
      ],
    ],
  ])('is not known where %s', (_, readings) => {
    const left = [...readings];
    expect(watchStolenTime(() => left.shift())()).toBeUndefined();
  });
});

describe('a calm moment', () => {
  const stolenBySecond = [0, 0, 1, 0, 0, 2, 0, 0, 0];
  const readings = stolenBySecond.map((_, second) => ({
    atMs: 10_000 + 1_000 * second,
    all: 200 * second,
    stolen: stolenBySecond.slice(0, second).reduce((sum, each) => sum + each, 0),
  }));

  test('is one with nothing given to others around it, but for a tick', () => {
    const isCalm = calmMoments(readings);
    const calm = stolenBySecond.map((_, second) => isCalm?.(10_500 + 1_000 * second));
    //                     2 ticks in the second from 15,000 on
    expect(calm).toEqual([true, true, true, true, true, false, false, true, false]);
  });

  test('is not known outside of the readings', () => {
    const isCalm = calmMoments(readings);
    expect([9_999, 18_001].map(atMs => isCalm?.(atMs))).toEqual([false, false]);
  });

  test.each([[[]], [readings.slice(0, 1)]])('is not known from %j', few => {
    expect(calmMoments(few)).toBeUndefined();
  });
});
