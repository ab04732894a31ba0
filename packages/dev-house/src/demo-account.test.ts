import { expect, test } from '@jest/globals';
import { readCredentials, readPrintedCredentials } from './demo-account.ts';

const credentials = { apiKey: 'mp_1', email: 'demo@mailproof.example', password: 'made up' };

test('reads the credentials from the last line, or from an answer over several lines', () => {
  const answer = { accountId: 'acct_1', ...credentials };
  expect(readCredentials(`a warning\n${JSON.stringify(answer)}\n`)).toEqual(credentials);
  expect(readCredentials(`${JSON.stringify(answer, null, 2)}\n`)).toEqual(credentials);
});

test.each([
  '',
  'done',
  '{"apiKey":"","email":"a","password":"b"}',
  '{"apiKey":"mp_1","email":"a"}',
  '{"apiKey":1,"email":"a","password":"b"}',
])('says so when credentials are missing, and repeats none: %j', output => {
  expect(() => readCredentials(output)).toThrow(/were not printed\.$/);
});

test('reads the credentials that are printed for a person, with carriage returns of a terminal', () => {
  const lines = ['Account acct_1', 'API key mp_1', 'Owner   demo@mailproof.example', 'Password made-up', ''];
  const printed = { apiKey: 'mp_1', email: 'demo@mailproof.example', password: 'made-up' };
  expect(readPrintedCredentials(lines.join('\n'))).toEqual(printed);
  expect(readPrintedCredentials(lines.join('\r\n'))).toEqual(printed);
  expect(() => readPrintedCredentials('Account acct_1\nAPI key mp_1\n')).toThrow(/were not printed\.$/);
});
