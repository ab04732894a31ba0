import { describe, expect, it } from '@jest/globals';
import { profileProviderSettings } from './profile-provider.ts';

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
