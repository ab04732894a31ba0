import { expect, test } from '@jest/globals';
import { readApiKey } from './demo-account.ts';

test('reads the key from the last line, or from an answer over several lines', () => {
  expect(readApiKey('a warning\n{"accountId":"acct_1","apiKey":"mp_1"}\n')).toBe('mp_1');
  expect(readApiKey('{\n  "accountId": "acct_1",\n  "apiKey": "mp_2"\n}\n')).toBe('mp_2');
});

test.each(['', 'done', '{"apiKey":""}', '{"apiKey":1}'])('says so when no key was printed: %j', output => {
  expect(() => readApiKey(output)).toThrow(/no key was printed/);
});
