import { decisiveFields, type EnrichedField, type EnrichedProfile } from '@mailproof/shared-types';
import { hasEmail, withoutEmails } from '../reading/email-like.ts';

/** Characters of one text and of one of its words in a list. */
const charactersMax: Readonly<Partial<Record<EnrichedField, number>>> = {
  description: 2_000,
  headline: 300,
  profile_url: 2_048,
  website: 2_048,
};
const charactersMaxDefault = 200;
const wordsMax = 50;
const urlFields: ReadonlySet<EnrichedField> = new Set(['profile_url', 'website']);

/**
 * Tidies what a source said before anybody sees it: bounded texts on one line, no empty fields, and no email address
 * anywhere, whatever the source is.
 */
export function cleanProfile(profile: EnrichedProfile): EnrichedProfile {
  const entries = Object.entries(profile).map(([field, value]) => [
    field,
    cleanValue(field as EnrichedField, value),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as EnrichedProfile;
}

/** Whether enough is known for the profile to count as found. */
export function isFound(profile: EnrichedProfile): boolean {
  return decisiveFields.some(field => profile[field] !== undefined);
}

/** One line of text without control characters, email addresses and surplus white space; nothing where nothing is left. */
export function cleanText(text: string, max: number): string | undefined {
  const bounded = text.slice(0, max * 4);
  const clean = withoutEmails(bounded.toWellFormed().normalize('NFC'))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...clean].slice(0, max).join('').trim() || undefined;
}

function cleanValue(field: EnrichedField, value: unknown): unknown {
  const max = charactersMax[field] ?? charactersMaxDefault;
  if (typeof value === 'string') {
    // An address on the web without a piece from its middle would lead elsewhere.
    return urlFields.has(field) && hasEmail(value) ? undefined : cleanText(value, max);
  }
  if (Array.isArray(value)) {
    const words = value
      .slice(0, wordsMax)
      .flatMap(word => (typeof word === 'string' ? (cleanText(word, max) ?? []) : []));
    return words.length > 0 ? [...new Set(words)] : undefined;
  }
  return value;
}
