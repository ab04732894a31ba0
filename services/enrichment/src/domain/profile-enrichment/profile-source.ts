import {
  type AccountId,
  decisiveFields,
  type EnrichedField,
  type EnrichedProfile,
  type ProfileProvenance,
} from '@mailproof/shared-types';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import { hasEmail, withoutEmails, withoutPhones } from '../reading/text.ts';

/** A query to a source. */
export interface ProfileQuestion {
  readonly accountId: AccountId;
  readonly profile: ProfileUrl;
  /** Answers from before this time are too old; undefined if any remembered answer is acceptable. */
  readonly notBefore?: Date | undefined;
  /** Aborted at the deadline for the answer. */
  readonly signal: AbortSignal;
}

/** The answer of a source, and when it was given. */
export type SourceAnswer =
  | {
      readonly outcome: 'found';
      readonly profile: EnrichedProfile;
      /** URLs of other profiles of the same person, according to the source; they are looked up, never shown. */
      readonly sameAs?: readonly string[] | undefined;
      readonly provenance: ProfileProvenance;
      readonly answeredAt: Date;
      /** How long its license allows to remember it; undefined if it sets no limit. */
      readonly keptForMs?: number | undefined;
    }
  | { readonly outcome: 'notFound'; readonly answeredAt: Date };

/** A source of profiles. */
export interface ProfileSource {
  readonly name: 'store' | 'provider' | 'operator_provider' | 'page';
  /**
   * Returns undefined if this source must not be queried about the profile. Throws `SourceFailure` if the source fails.
   */
  find(question: ProfileQuestion): Promise<SourceAnswer | undefined>;
}

/** The source could not tell whether it knows a profile. The message is for customers. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The maximum number of characters of a text, or of each word in a list. */
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
 * Cleans the answer of any source before it is shown: bounded single-line texts, no empty fields, and no email
 * addresses.
 */
export function cleanProfile(profile: EnrichedProfile): EnrichedProfile {
  const entries = Object.entries(profile).map(([field, value]) => [
    field,
    cleanValue(field as EnrichedField, value),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as EnrichedProfile;
}

/** Whether enough fields are known for the profile to count as found. */
export function isFound(profile: EnrichedProfile): boolean {
  return decisiveFields.some(field => profile[field] !== undefined);
}

/**
 * Returns one line of text without control characters, email addresses, telephone numbers and extra white space;
 * undefined if nothing remains.
 */
export function cleanText(text: string, max: number): string | undefined {
  const bounded = text.slice(0, max * 4);
  const clean = withoutPhones(withoutEmails(bounded.toWellFormed().normalize('NFC')))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...clean].slice(0, max).join('').trim() || undefined;
}

function cleanValue(field: EnrichedField, value: unknown): unknown {
  const max = charactersMax[field] ?? charactersMaxDefault;
  if (typeof value === 'string') {
    // Removing a part from the middle of a URL would make it lead elsewhere.
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
