import { expect, test } from '@jest/globals';
import { curlLine, firstAddress } from './first-validation.ts';

test('asks about nobody in the real internet unless told to', () => {
  expect(firstAddress(true, {})).toBe('ada@ordinary.example');
  expect(firstAddress(false, {})).toBeUndefined();
  expect(firstAddress(false, { MAILPROOF_FIRST_ADDRESS: 'me@mine.example' })).toBe('me@mine.example');
});

test('the line to paste survives an apostrophe', () => {
  const line = curlLine("o'neil@mine.example", {
    apiBaseUrl: 'http://127.0.0.1:8080/api/v1',
    apiKey: 'mp_1',
  });
  expect(line).toContain(`-d '{"email":"o'\\''neil@mine.example"}'`);
});
