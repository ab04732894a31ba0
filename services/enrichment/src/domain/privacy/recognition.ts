import { createHmac } from 'node:crypto';
import { readDomain } from '@mailproof/shared-types/web-address';
import { parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { ProfileKind } from '../profile-url/profile-networks.ts';
import type { Recognition } from './subjects.ts';

/**
 * Returns the keyed hashes under which a person is suppressed (ADR 0031): of every given profile, and of name and
 * company together, with the company by domain and by name, so that another profile of the same person is recognized
 * too. A name alone would suppress strangers.
 */
export function recognitionHashes(key: Uint8Array, person: Recognition): Buffer[] {
  const { profileKey, website, sameAs, companyDomain, companyName } = person;
  const profiles = [
    ...(profileKey ? [profileKey] : []),
    // A website can be the employer's, so only a URL that is certainly a person's own profile counts.
    ...profilesOf([website ?? ''], kind => kind === 'person'),
    ...profilesOf(sameAs ?? [], kind => kind !== 'organisation'),
  ];
  const domain = companyDomain ? (readDomain(companyDomain) ?? companyDomain.toLowerCase()) : '';
  const company = companyName ? companyKey(companyName) : '';
  return [
    ...unique(profiles.flatMap(withFormerKey)).map(profile => hash(key, 'profile', profile)),
    ...namesOf(person).flatMap(name => [
      ...(domain === '' ? [] : [hash(key, 'name_at', `${name}@${domain}`)]),
      ...(company === '' ? [] : [hash(key, 'name_at_company', `${name}@${company}`)]),
    ]),
  ];
}

/** Words around a name that are not part of it. */
const notOfNames = new Set(
  'dr prof mr mrs ms miss sir dame phd md mba msc bsc ma ba dba jd cfa cpa cissp pmp esq jr sr ii iii iv'.split(
    ' ',
  ),
);

/**
 * `Renée  O’Brien`, `RENEE O'BRIEN`, `Dr. Renee K. O Brien (she/her)` and `O'Brien, Renée, PhD` are the same name, and
 * so are `Jörg Müller` and `Joerg Mueller`: sources differ in word order, titles, initials and diacritics.
 */
export function nameKey(fullName: string): string {
  const words = folded(fullName.replace(/\([^)]*\)/g, ' '))
    .replace(/(?<=^| )o (?=\p{L}{3,}$)/u, 'o')
    .split(' ')
    .filter(Boolean);
  const proper = words.filter(word => !notOfNames.has(word));
  const whole = proper.filter(word => word.length > 1 || /\P{Script=Latin}/u.test(word));
  const kept = [whole, proper, words].find(({ length }) => length >= 2) ?? words;
  return kept.sort().join(' ');
}

const legalForms =
  /(?: (?:inc|incorporated|llc|ltd|limited|corp|corporation|co|company|plc|gmbh|ag|kg|se|sa|sas|sarl|srl|spa|bv|nv|oy|ab|as|aps|pty))+$/;

/** `The Acme Company, Inc.` and `ACME` count as the same company for people of the same name. */
export function companyKey(name: string): string {
  return folded(name)
    .replace(/^the (?=\S)/, '')
    .replace(legalForms, '');
}

/** Returns one line of lower-case letters and digits, without what sources omit or spell differently. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, sign => spelledOut[sign] ?? sign)
    .replace(/([aou])e/g, '$1')
    .replace(/[’'`´.]/g, sign => (sign === '.' ? ' ' : ''))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

function namesOf({ fullName, firstName, lastName }: Recognition): string[] {
  const parted = firstName && lastName ? `${firstName} ${lastName}` : '';
  return unique([fullName ?? '', parted].map(nameKey)).filter(name => name !== '');
}

function profilesOf(
  addresses: readonly string[],
  counts: (kind: ProfileKind | undefined) => boolean,
): string[] {
  return addresses.flatMap(address => {
    const profile = parseProfileUrl(address);
    return profile && counts(profile.kind) ? [profile.profileKey] : [];
  });
}

/** Until Threads was a known network, its profiles had keys with either host, and people opted out by them. */
function withFormerKey(profileKey: string): string[] {
  return profileKey.startsWith('threads.com/')
    ? [profileKey, profileKey.replace('threads.com/', 'threads.net/')]
    : [profileKey];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function hash(key: Uint8Array, kind: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${kind}:${text}`).digest();
}
