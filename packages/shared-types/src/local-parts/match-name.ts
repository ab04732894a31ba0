import { makeLocalPart, type NamePattern, namePatterns, type SpelledName } from './name-patterns.ts';

/** A local part that may be made of a name. */
export interface NameCandidate {
  /** In lower case, without apostrophes, without a tag after a plus sign and without the number. */
  readonly base: string;
  /** Whether a number follows that tells namesakes apart, as in `anna.meier2`. */
  readonly isNumbered: boolean;
}

/** Shorter ones fit too many people, and longer ones are not names. */
const baseCharacters = { min: 3, max: 48 };

/** Reads a local part as a name; undefined if it cannot be one. */
export function readCandidate(localPart: string): NameCandidate | undefined {
  const whole = localPart.normalize('NFC').toLowerCase().split('+', 1)[0] ?? '';
  const numbered = whole.replace(/[._-]?\d{1,2}$/, '');
  const base = numbered.replace(/(?<=\p{L})['’](?=\p{L})/gu, '');
  const letters = base.replace(/[._-]/g, '').length;
  return /^[\p{L}\p{M}]+(?:[._-][\p{L}\p{M}]+)*$/u.test(base) &&
    letters >= baseCharacters.min &&
    base.length <= baseCharacters.max
    ? { base, isNumbered: numbered !== whole }
    : undefined;
}

/** The patterns by which one of the spellings of a name makes the local part. */
export function patternsMaking(
  { base }: Pick<NameCandidate, 'base'>,
  spellings: readonly SpelledName[],
): NamePattern[] {
  // Each pattern has the first or the last name in full.
  const similar = spellings.filter(({ first, last }) => base.includes(first) || base.includes(last));
  return namePatterns.filter(pattern => similar.some(name => makeLocalPart(pattern, name) === base));
}

/**
 * What to look a name up by: the last name with the initial of the first, the first name with the initial of the last,
 * or one of them alone. Each pattern that makes a local part of a name has one of its keys in `keysOfCandidate`.
 */
export function keysOfName(spellings: readonly SpelledName[]): Set<string> {
  return new Set(
    spellings.flatMap(name => {
      const [first, last] = [squeezed(name.first), squeezed(name.last)];
      return [...keysOfParts(first, last), first, last];
    }),
  );
}

/** The keys of all names that may have made a local part. */
export function keysOfCandidate({ base }: Pick<NameCandidate, 'base'>): Set<string> {
  const letters = squeezed(base);
  const keys = new Set([letters]);
  for (let at = 1; at < letters.length; at += 1) {
    const [before, after] = [letters.slice(0, at), letters.slice(at)];
    const [ofLastName, ofFirstName] = keysOfParts(before, after);
    keys.add(ofLastName);
    keys.add(keysOfParts(after, before)[0]);
    if (after.length === 1) {
      keys.add(ofFirstName);
    }
  }
  return keys;
}

function keysOfParts(first: string, last: string): [ofLastName: string, ofFirstName: string] {
  return [`${first.charAt(0)} ${last}`, `${first} ${last.charAt(0)} `];
}

function squeezed(text: string): string {
  return text.replace(/[._-]/g, '');
}
