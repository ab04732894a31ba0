import { describe, expect, it } from '@jest/globals';
import { changed, choiceOf, choicesOf, doubled, isPreviewed, lackOf, mappingOf } from './mapping.ts';

const column = (name: string, field: 'full_name' | 'profile_url' | null) => ({
  name,
  field,
  examples: [],
  holds_addresses: false,
});
const columns = [column('Name', 'full_name'), column('URL', 'profile_url'), column('Motto', null)];

describe('the mapping of a file of people', () => {
  it('begins with what was detected, or with what was used last', () => {
    expect(choicesOf({ mapping: null, columns })).toEqual({ Name: 'full_name', URL: 'profile_url' });
    const mapping = { headline: 'Motto', profile_url: 'URL' };
    expect(choicesOf({ mapping, columns })).toEqual({ Motto: 'headline', URL: 'profile_url' });
  });

  it('changes a column, leaves one out, and becomes the mapping of the API', () => {
    const choices = choicesOf({ mapping: null, columns });
    const more = changed(choices, 'Motto', 'headline');
    expect(mappingOf(more)).toEqual({ full_name: 'Name', profile_url: 'URL', headline: 'Motto' });
    expect(changed(more, 'Motto', '')).toEqual(choices);
    expect([choiceOf(more, 'Motto'), choiceOf(more, 'constructor')]).toEqual(['headline', undefined]);
  });

  it('says what is missing or chosen twice', () => {
    expect(lackOf({})).toMatch(/profile URLs/);
    expect(lackOf({ URL: 'profile_url' })).toMatch(/names/);
    expect(lackOf({ URL: 'profile_url', Last: 'last_name' })).toBeUndefined();
    expect([...doubled({ A: 'city', B: 'region', C: 'city' })]).toEqual(['A', 'C']);
  });

  it('is previewed only with the same choices', () => {
    const mapping = { full_name: 'Name', profile_url: 'URL' };
    const choices = choicesOf({ mapping, columns });
    expect(isPreviewed({ state: 'previewed', mapping }, choices)).toBe(true);
    expect(isPreviewed({ state: 'uploaded', mapping: null }, choices)).toBe(false);
    expect(isPreviewed({ state: 'previewed', mapping }, changed(choices, 'Motto', 'headline'))).toBe(false);
  });
});
