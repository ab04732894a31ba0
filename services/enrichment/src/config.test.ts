import { expect, test } from '@jest/globals';
import { loadOperatorConfig } from './config.ts';

const settings = {
  DATABASE_URL: 'postgres://enrichment@127.0.0.1/mailproof',
  SUPPRESSION_HASH_KEY: Buffer.alloc(32, 1).toString('base64'),
};
const engine = 'https://engine.test:9200';

test.each([
  // It would be shown where the URL is.
  { SEARCH_ENGINE_URL: 'https://user:secret@engine.test:9200' },
  { SEARCH_ENGINE_URL: 'https://secret@engine.test' },
  { SEARCH_ENGINE_URL: engine, SEARCH_ENGINE_USER: 'user' },
  { SEARCH_ENGINE_URL: engine, SEARCH_ENGINE_PASSWORD: 'secret' },
])('refuses %j without showing the password', wrong => {
  const load = () => loadOperatorConfig({ ...settings, ...wrong });
  expect(load).toThrow(/SEARCH_ENGINE_(?:URL|PASSWORD)/);
  expect(load).not.toThrow(/secret/);
});

test('accepts a search engine with and without a user', () => {
  const user = { SEARCH_ENGINE_USER: 'user', SEARCH_ENGINE_PASSWORD: 'secret' };
  expect(loadOperatorConfig({ ...settings, SEARCH_ENGINE_URL: engine, ...user })).toMatchObject(user);
  expect(loadOperatorConfig({ ...settings, SEARCH_ENGINE_URL: engine }).SEARCH_ENGINE_URL).toBe(engine);
});
