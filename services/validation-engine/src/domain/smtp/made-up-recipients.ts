import { type Random, randomBelow } from '../random.ts';

/** A recipient that nobody has, made to find out whether a domain accepts everybody. */
export interface MadeUpRecipient {
  readonly shape: 'letters' | 'name_and_digits';
  readonly localPart: string;
}

// Without vowels no word and no name can come out; without l, o and digits alike nothing is misread in a log.
const consonants = 'bcdfghjkmnpqrstvwxz';
const digits = '23456789';

/**
 * Makes two recipients of different shape: some hosts refuse what looks random by its form alone, and accept
 * whatever looks like a person.
 */
export function makeUpRecipients(random: Random): readonly MadeUpRecipient[] {
  const letters = pick(random, consonants, 12 + randomBelow(random, 5));
  const first = pick(random, consonants, 6 + randomBelow(random, 3));
  const last = pick(random, consonants, 7 + randomBelow(random, 3));
  return [
    { shape: 'letters', localPart: letters },
    { shape: 'name_and_digits', localPart: `${first}.${last}${pick(random, digits, 3)}` },
  ];
}

function pick(random: Random, alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet.charAt(randomBelow(random, alphabet.length))).join('');
}
