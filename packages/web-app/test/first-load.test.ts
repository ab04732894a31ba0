import { describe, expect, it } from '@jest/globals';
import { firstLoadBytesMax, firstLoads } from './first-load.ts';

describe('a first visit', () => {
  const loads = firstLoads();

  it('is one of the screens that are loaded when they are gone to', () => {
    expect(loads.map(({ screen }) => screen)).toContain('src/screens/access/sign-in-screens.tsx');
    // The application is small, but never empty.
    expect(Math.min(...loads.map(({ bytes }) => bytes))).toBeGreaterThan(50_000);
  });

  it.each(loads)('of $screen loads little script', ({ bytes }) => {
    expect(bytes).toBeLessThanOrEqual(firstLoadBytesMax);
  });
});
