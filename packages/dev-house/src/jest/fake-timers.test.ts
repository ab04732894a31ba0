import { expect, jest, test } from '@jest/globals';

test('a loop that advances timers ends when its test has ended', async () => {
  jest.useFakeTimers();
  await jest.advanceTimersByTimeAsync(1);
  const endless = (async () => {
    for (;;) await jest.advanceTimersByTimeAsync(1);
  })();
  jest.useRealTimers();
  await expect(endless).rejects.toThrow('only while they are fake');
});
