import { describe, expect, it } from '@jest/globals';
import { parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { companyKey, nameKey, recognitionHashes } from './recognition.ts';
import type { Recognition } from './subjects.ts';

const key = new TextEncoder().encode('a key for tests alone, 32 characters');

function meet(one: Recognition, other: Recognition): boolean {
  const known = new Set(recognitionHashes(key, one).map(hash => hash.toString('hex')));
  return recognitionHashes(key, other).some(hash => known.has(hash.toString('hex')));
}

describe('a name', () => {
  it.each([
    ['Renée  O’Brien', "RENEE O'BRIEN"],
    ['Renée O’Brien', 'Dr. Renee K. O Brien (she/her)'],
    ['Renée O’Brien', "O'Brien, Renée, PhD"],
    ['Jörg Müller', 'MUELLER Joerg'],
    ['Søren Æbelø', 'Soren Aebelo'],
    ['Łukasz Groß', 'Lukasz Gross'],
    ['王 伟', '伟 王'],
    ['Ada Lovelace', 'Ada Lovelace 🚀'],
  ])('%s is the name %s', (one, other) => expect(nameKey(other)).toBe(nameKey(one)));

  it.each([
    ['Ada Lovelace', 'Ada'],
    ['Ada Lovelace', 'Eva Lovelace'],
    ['Mr X', 'Mr Y'],
    ['A B', 'A C'],
  ])('%s is not the name %s', (one, other) => expect(nameKey(other)).not.toBe(nameKey(one)));
});

it.each([
  ['The Acme Company, Inc.', 'ACME'],
  ['Müller GmbH & Co. KG', 'Mueller'],
  ['Inc.', 'inc'],
])('%s is the company %s', (one, other) => expect(companyKey(one)).toBe(companyKey(other)));

describe('a person', () => {
  const ada = { profileKey: 'linkedin.com/in/ada', fullName: 'Ada Lovelace', companyDomain: 'acme.test' };

  it.each<[string, Recognition]>([
    ['their profile', { profileKey: 'linkedin.com/in/ada' }],
    ['a website that is their profile', { website: 'https://de.linkedin.com/in/ADA/' }],
    [
      'a page that says it is theirs',
      { sameAs: ['https://x.test', 'https://www.linkedin.com/in/ada?trk=x'] },
    ],
    ['name and domain', { fullName: 'LOVELACE, Ada', companyDomain: 'https://www.eng.acme.test/team' }],
    [
      'parted names',
      { fullName: 'A. L.', firstName: 'Ada', lastName: 'Lovelace', companyDomain: 'acme.test' },
    ],
  ])('is recognized by %s', (_, other) => expect(meet(ada, other)).toBe(true));

  it.each(['threads.net/%40ada', 'threads.com/%40ada'])('is recognized by the former key %s', former => {
    const { profileKey = '' } = parseProfileUrl('https://www.threads.net/@ada') ?? {};
    const [hash] = recognitionHashes(key, { profileKey: former });
    expect(recognitionHashes(key, { profileKey })).toContainEqual(hash);
  });

  it('is recognized by name and company name', () => {
    const one = { fullName: 'Ada Lovelace', companyName: 'Acme Inc.' };
    expect(meet(one, { fullName: 'Ada Lovelace', companyName: 'ACME', companyDomain: 'other.test' })).toBe(
      true,
    );
    expect(meet(one, { fullName: 'Ada Lovelace', companyName: 'Bolt' })).toBe(false);
  });

  it('is not recognized by only a name, or by the website of an employer', () => {
    expect(meet(ada, { fullName: 'Ada Lovelace' })).toBe(false);
    expect(meet({ profileKey: 'acme.test' }, { website: 'https://acme.test', fullName: 'Bob Bolt' })).toBe(
      false,
    );
    expect(recognitionHashes(key, { companyDomain: 'acme.test', companyName: 'Acme' })).toEqual([]);
  });
});
