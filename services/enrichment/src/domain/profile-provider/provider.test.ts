import { describe, expect, it } from '@jest/globals';
import { profileProviderSettings } from '@mailproof/shared-types';
import fc from 'fast-check';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { mapAnswer, readPath, saysNoMatch } from './map-answer.ts';
import { fillBody, fillUrl, partSecrets, settingsFaults, wordsOf } from './provider-settings.ts';

const settings = profileProviderSettings.parse({
  name: 'People',
  method: 'GET',
  url: 'https://people.example/v1/{handle}?url={profile_url}',
  headers: [
    { name: 'X-Key', value: 'secret', is_secret: true },
    { name: 'X-Plain', value: 'plain' },
  ],
  fields: { first_name: 'first' },
});
const profile = parseProfileUrl('https://linkedin.com/in/jos%C3%A9-garc%C3%ADa') as ProfileUrl;

describe('a template', () => {
  it('takes the profile percent-encoded', () => {
    expect(fillUrl(settings.url, wordsOf(profile))?.href).toBe(
      'https://people.example/v1/jos%C3%A9-garc%C3%ADa?url=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fjos%25C3%25A9-garc%25C3%25ADa',
    );
    const body = { query: { url: '{profile_url}', tags: ['{handle}', 5, null] } };
    expect(fillBody(body, wordsOf(profile))).toEqual({
      query: { url: profile.profileUrl, tags: ['josé-garcía', 5, null] },
    });
  });

  it('never changes the host, path or parameters with a value', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.string(),
        (handle, profile_url, profile_key) => {
          const url = fillUrl(settings.url, { handle, profile_url, profile_key });
          if (url === undefined) {
            return /^\.{1,2}$/.test(handle) || /^\.{1,2}$/.test(profile_url) || /^\.{1,2}$/.test(profile_key);
          }
          expect([
            url.origin,
            url.pathname.split('/').length,
            [...url.searchParams.keys()],
            url.hash,
          ]).toEqual(['https://people.example', 3, ['url'], '']);
          return url.searchParams.get('url') === profile_url;
        },
      ),
    );
  });

  it('does not fill in what a word says', () => {
    const words = { handle: '{profile_url}', profile_url: 'x', profile_key: 'y' };
    expect(fillBody('{handle}', words)).toBe('{profile_url}');
  });
});

describe('an answer', () => {
  const answer = JSON.parse(
    '{"first":" Ada ","age":5,"names":[{"first":"Ada"}],"__proto__":{"x":1},"tags":["a","",7,{}],"site":"javascript:alert(1)","domain":"https://www.Ordinary.example/about","count":"1200","minus":-1}',
  );

  it.each([
    ['first', ' Ada '],
    ['names[0].first', 'Ada'],
    ['names[1].first', undefined],
    ['names.length', undefined],
    ['first.length', undefined],
    ['constructor', undefined],
    ['toString.name', undefined],
  ])('says at %s %j', (path, value) => {
    expect(readPath(answer, path)).toEqual(value);
  });

  it('is mapped to values of each field’s type', () => {
    expect(
      mapAnswer(answer, {
        first_name: 'first',
        last_name: 'names',
        headline: 'age',
        keywords: 'tags',
        website: 'site',
        company_domain: 'domain',
        follower_count: 'count',
        connection_count: 'minus',
      }),
    ).toEqual({
      first_name: ' Ada ',
      headline: '5',
      keywords: ['a', '7'],
      company_domain: 'ordinary.example',
      follower_count: 1_200,
    });
  });

  it.each([[null], [''], [[]], [{}], [false]])('says by %j that the profile is not known', value => {
    const noMatch = { no_match: { statuses: [], empty_path: 'data' } };
    expect([saysNoMatch({ data: value }, noMatch), saysNoMatch({ data: 0 }, noMatch)]).toEqual([true, false]);
  });
});

describe('settings', () => {
  it('are accepted if they can work', () => {
    expect(settingsFaults(settings, () => 'public')).toEqual([]);
    expect(settingsFaults({ ...settings, url: 'http://127.0.0.1/{handle}' }, () => 'lab')).toEqual([]);
    expect(settingsFaults({ ...settings, url: 'http://127.0.0.1/{handle}' }, () => 'public')).toHaveLength(1);
  });

  it('keep a secret only for the same origin', () => {
    const first = partSecrets(settings, undefined);
    expect(first).toMatchObject({ secrets: { 'x-key': 'secret' }, faults: [] });
    expect(JSON.stringify(first.settings)).not.toContain('"secret"');
    const again = { ...settings, headers: [{ name: 'x-KEY', is_secret: true }] };
    const before = { settings: first.settings, secrets: first.secrets };
    expect(partSecrets(again, before).secrets).toEqual({ 'x-key': 'secret' });
    for (const url of [
      'https://evil.example/{handle}',
      'http://people.example/{handle}',
      'https://people.example:8443/{handle}',
    ]) {
      expect(partSecrets({ ...again, url }, before)).toMatchObject({
        secrets: {},
        faults: [{ pointer: '/headers/0/value' }],
      });
    }
    // Declaring a secret as non-secret does not make it readable.
    const shown = { ...settings, headers: [{ name: 'X-Key', is_secret: false }] };
    expect(partSecrets(shown, before).faults).toHaveLength(1);
  });
});
