import { expect, test } from '@jest/globals';
import { firstAddress, profileLine, validationLine } from './first-validation.ts';

test('probes no address of the real internet unless one is set', () => {
  expect(firstAddress(true, {})).toBe('ada@ordinary.example');
  expect(firstAddress(false, {})).toBeUndefined();
  expect(firstAddress(false, { MAILPROOF_FIRST_ADDRESS: 'me@mine.example' })).toBe('me@mine.example');
});

const account = { apiBaseUrl: 'http://127.0.0.1:8080/api/v1', apiKey: 'mp_1' };

test('the line to paste survives an apostrophe', () => {
  const line = validationLine("o'neil@mine.example", account);
  expect(line).toContain(`-d '{"email":"o'\\''neil@mine.example"}'`);
});

test('a profile is asked for by the name that the contract gives its URL', () => {
  const line = profileLine('https://people.example/in/ada', account);
  expect(line).toContain('http://127.0.0.1:8080/api/v1/profile-enrichment ');
  expect(line).toContain(`-d '{"profile_url":"https://people.example/in/ada"}'`);
});
