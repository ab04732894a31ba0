import { expect, test } from '@jest/globals';
import { threadUrl } from './thread-url.ts';

test.each([
  ['file:///checkout/services/x/src/start.ts', 'file:///checkout/services/x/src/index-thread.ts'],
  ['file:///app/services/x/src/start.js', 'file:///app/services/x/src/index-thread.js'],
])('a thread next to %s is in the same language', (beside, expected) => {
  expect(threadUrl('index-thread', beside).href).toBe(expected);
});
