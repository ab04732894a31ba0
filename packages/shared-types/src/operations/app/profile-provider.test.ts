import { describe, expect, it, test } from '@jest/globals';
import { profileProviderAnswer, profileProviderSettings } from './profile-provider.ts';

const settings = {
  name: 'Example People',
  method: 'POST',
  url: 'https://people.example/v2/person',
  body: { profile: '{profile_url}', note: ['\u{1f600} \\u0000'] },
  fields: { first_name: 'first' },
};

describe('settings of a provider', () => {
  it('may hold any text that can be kept', () => {
    expect(profileProviderSettings.safeParse(settings).error).toBeUndefined();
  });

  it.each([
    { name: 'a\u0000b' },
    { name: 'a\nb' },
    { url: 'https://people.example/\ud800' },
    { price_note: 'cheap\u0000' },
    { body: { deep: [{ text: 'a\u0000b' }] } },
    { body: { 'a\u0000b': 1 } },
    { body: { half: '\ud83d' } },
  ])('refuse what the database could not keep: %j', change => {
    expect(profileProviderSettings.safeParse({ ...settings, ...change }).success).toBe(false);
  });
});

test('a provider that the previous release describes has no others, and no budget', () => {
  const health = { last_success_at: null, last_failure_at: null, last_failure: null };
  const answer = { ...settings, headers: [], updated_at: '2026-06-01T12:00:00.000Z', health };
  expect(profileProviderAnswer.parse(answer)).toMatchObject({
    fallbacks: [],
    requests_per_month: null,
    health: { requests_this_month: {} },
  });
});
