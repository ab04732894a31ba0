import type { EmailAddress } from '@mailproof/shared-types';

/**
 * The pattern of a local part. Patterns are all that can be told without knowing names: `adal` may be a first name, a
 * name with an initial before or after it, or neither, so a single word is just `word`.
 */
export const patternClasses = [
  'word.word',
  'word_word',
  'word-word',
  'initial.word',
  'initial_word',
  'initial-word',
  'word.initial',
  'word_initial',
  'word-initial',
  /** Three words or more, or words with initials between them. */
  'several_words',
  'word',
  /** Up to three letters. */
  'initials',
  /** Letters followed by a number, as in ada99 or a.lovelace2. */
  'name_and_number',
  /** A role, such as info or sales. */
  'role',
  'other',
] as const;

export type PatternClass = (typeof patternClasses)[number];

const initialsMax = 3;
const words = /^[\p{L}\p{M}']+(?:[._-][\p{L}\p{M}']+)*$/u;
const wordsAndNumber = /^(?=.*[\p{L}\p{M}']{2})[\p{L}\p{M}']+(?:[._-][\p{L}\p{M}']+)*[._-]?\d{1,6}$/u;

/**
 * Functions with a place or another word, as in info.berlin and investor.relations: two of these on a contact page must
 * not look like the names of people. Words that are also names, such as Sales, count only where a first name would be.
 */
const functions =
  /^(?:info|kontakt|contacto?|office|buero|services?|support|sales|vertrieb|verkauf|einkauf|presse?|team|admin|help|marketing|jobs|karriere|careers?|bewerbung|privacy|datenschutz|data|customers?|kunden|investors?|media|general|technical|tech|accounts|hr|it)[._-]|[._-](?:info|kontakt|office|support|team|desk|relations|resources|department|enquiries|inquiries|protection|payable|receivable|services)$/;

/** Finds the pattern of an address's local part; a tag after a plus sign is not part of a name. */
export function patternClassOf({ localPart }: EmailAddress, roles: ReadonlySet<string>): PatternClass {
  const base = localPart.text.normalize('NFC').toLowerCase().split('+', 1)[0] ?? '';
  if (roles.has(base) || functions.test(base)) {
    return 'role';
  }
  if (!words.test(base)) {
    return wordsAndNumber.test(base) ? 'name_and_number' : 'other';
  }
  const parts = base.split(/[._-]/);
  const [first = '', second] = parts;
  if (second === undefined) {
    return lengthOf(first) <= initialsMax ? 'initials' : 'word';
  }
  return parts.length > 2 ? 'several_words' : classOfPair(first, second, base.charAt(first.length));
}

function classOfPair(first: string, second: string, separator: string): PatternClass {
  const isInitial = [first, second].map(part => lengthOf(part) === 1);
  const shape = `${isInitial[0] ? 'initial' : 'word'}${separator}${isInitial[1] ? 'initial' : 'word'}`;
  return patternClasses.find(name => name === shape) ?? 'initials';
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
