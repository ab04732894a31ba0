import { createHmac } from 'node:crypto';
import type { Recognition } from './suppression.ts';

/**
 * The keyed hashes under which somebody is kept out (ADR 0031): one of the profile, and one of name and company domain
 * together, so that another profile of the same person is recognised too. A name alone would keep out strangers.
 */
export function recognitionHashes(key: Uint8Array, person: Recognition): Buffer[] {
  const { profileKey, fullName, companyDomain } = person;
  const name = fullName ? nameKey(fullName) : '';
  return [
    ...(profileKey ? [hash(key, 'profile', profileKey)] : []),
    ...(name !== '' && companyDomain ? [hash(key, 'name_at', `${name}@${companyDomain.toLowerCase()}`)] : []),
  ];
}

/** `Renée  O’Brien`, `RENEE O'BRIEN` and `Dr. Renee O Brien` are one name. */
export function nameKey(fullName: string): string {
  return fullName
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[’'`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^(?:(?:dr|prof|mr|mrs|ms|sir|dame) )+(?=\S+ \S)/, '');
}

function hash(key: Uint8Array, kind: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${kind}:${text}`).digest();
}
