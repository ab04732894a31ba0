import { describe, expect, it } from '@jest/globals';
import { draftOf, isBody, settingsOf } from './provider-settings.ts';

const known = {
  name: 'Example People',
  method: 'POST',
  url: 'https://people.example/v2',
  body: { profile: '{profile_url}' },
  headers: [
    { name: 'X-Api-Key', is_secret: true },
    { name: 'Accept-Language', value: 'en', is_secret: false },
  ],
  fields: { first_name: 'person.first' },
  no_match: { statuses: [404, 410], empty_path: 'person' },
  price_note: null,
  requests_per_second: 2,
  timeout_ms: 4_000,
  kinds: ['person'],
  poll: { url_path: null, pending: null, every_ms: 1_000 },
  requests_per_month: 500,
  kept_hours: 24,
  fallbacks: [],
  updated_at: '2026-11-02T09:30:00.000Z',
  health: { requests_this_month: {}, last_success_at: null, last_failure_at: null, last_failure: null },
} satisfies Parameters<typeof draftOf>[0];

describe('the settings of a provider', () => {
  it('are returned unchanged, and keep the stored secret', () => {
    const { updated_at, health, ...settings } = known;
    expect(settingsOf(draftOf(known))).toEqual(settings);
  });

  it('send a secret that was entered again, and a new one', () => {
    const draft = draftOf(known);
    const [first, second] = draft.headers;
    const changed = { ...draft, headers: [{ ...first, value: 'new' }, second].flatMap(each => each ?? []) };
    expect(settingsOf({ ...draft, ...changed } as typeof draft).headers[0]).toEqual({
      name: 'X-Api-Key',
      is_secret: true,
      value: 'new',
    });
    const fresh = { name: 'A', value: '', isSecret: true, isKept: false };
    expect(settingsOf({ ...draft, headers: [fresh] }).headers[0]).toHaveProperty('value', '');
  });

  it('have common defaults, and omit blank paths and the body of a GET', () => {
    const sent = settingsOf({
      ...draftOf(undefined),
      name: ' P ',
      url: ' https://p.example ',
      body: '{"a":1}',
    });
    expect(sent).toMatchObject({
      name: 'P',
      method: 'GET',
      url: 'https://p.example',
      body: null,
      fields: {},
    });
    expect(sent.no_match).toEqual({ statuses: [404], empty_path: null });
  });

  it.each([
    ['', true],
    ['{"a":1}', true],
    ['[1]', false],
    ['{a', false],
  ])('know a body when they see one: %s', (text, is) => expect(isBody(text)).toBe(is));
});
