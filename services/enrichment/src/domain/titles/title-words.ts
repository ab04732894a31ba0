import { foldLetters } from '@mailproof/shared-types/name-words';
import { meaningOfPhrase, phraseWordsMax } from './title-phrases.ts';

/** Longer titles are truncated to this length. */
const titleCharactersMax = 300;

/** Words without meaning between others, in the languages of the phrases. */
const fillers = new Set(
  'of the and for in a an de la le les du des d del der die das den und et y e di da do dos fur von im l el los las to on'.split(
    ' ',
  ),
);

/**
 * Folds text for comparison: lower case, without accents and punctuation, one space between words. Removes dots within
 * abbreviations (`V.P.`), and keeps `c++`, `c#` and `.net`.
 */
export function foldText(text: string): string {
  return foldLetters(text)
    .replace(/\b(\p{L})\.(?=\p{L}(\.|\s|$))/gu, '$1')
    .replace(/['’`´]/gu, '')
    .replace(/\+\+/g, 'plusplus')
    .replace(/c#/g, 'csharp')
    .replace(/\.net\b/g, 'dotnet')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Folds a title for word-by-word comparison, without gender markers such as `(m/w/d)` and `:in`. */
export function foldTitle(title: string): string {
  const withoutForms = title
    .slice(0, titleCharactersMax)
    .replace(/\(\s*[a-z]\s*([/|]\s*[a-z]\s*){1,3}\)/giu, ' ')
    .replace(/(\p{L})\s?[:*/_·•(]-?(innen|in|rice|trice|euse|ere|ne|e|a|o)\)?(?=$|[\s,;/|&)-])/giu, '$1');
  return foldText(withoutForms);
}

/**
 * The distinct words of a title's meaning: abbreviations, synonyms and other languages are unified, and words without
 * meaning are dropped. So is the context of a title: `CEO at Sales Inc.` is not a sales title, and an assistant to the
 * CEO is not a CEO.
 */
export function wordsOfTitle(title: string): ReadonlySet<string> {
  const ownPart = title.replace(/\s(at|bei|chez)\s.*$|\s?@.*$/isu, '');
  const folded = foldTitle(ownPart === '' ? title : ownPart);
  const served =
    /^(.*\b(?:assistant|assistante|assistentin|secretary|advisor|adviser|aide|pa|ea))\b.* to (?:the )?.+$/u.exec(
      folded,
    );
  const written = (served?.[1] ?? folded).replace(/\boffice of (the )?.*$/u, 'office').split(' ');
  const words = new Set<string>();
  for (let at = 0; at < written.length; ) {
    at += readPhrase(written, at, words);
  }
  if ([...words].some(isChief)) {
    words.delete('officer');
  }
  return words;
}

/** Reads the longest phrase that begins at `at`, or one word; returns the number of words read. */
function readPhrase(written: readonly string[], at: number, words: Set<string>): number {
  for (let length = Math.min(phraseWordsMax, written.length - at); length > 0; length -= 1) {
    const meaning = meaningOfPhrase.get(written.slice(at, at + length).join(' '));
    if (meaning) {
      for (const word of meaning) {
        words.add(word);
      }
      return length;
    }
  }
  const word = written[at] ?? '';
  if (word !== '' && !fillers.has(word)) {
    words.add(word);
  }
  return 1;
}

export function isChief(word: string): boolean {
  return word === 'chief' || word === 'chief_executive';
}

/** Words that mark a title as not currently held. */
const notNow: ReadonlySet<string> = new Set(['former', 'retired', 'aspiring']);
/** Words that place a person below the rank in their title. */
const below: ReadonlySet<string> = new Set(['assistant', 'secretary', 'intern', 'trainee', 'student']);
const ranks: ReadonlySet<string> = new Set(['vice_president', 'president', 'director', 'head']);

/** A title prepared for repeated matching. */
export interface ReadTitle {
  readonly folded: string;
  readonly words: ReadonlySet<string>;
}

export function readTitle(title: string): ReadTitle {
  return { folded: foldTitle(title), words: wordsOfTitle(title) };
}

/** The words that a title must not have to match an asked one that lacks them (`isSimilarTitle`). */
export function wordsNotAsked(asked: ReadonlySet<string>): string[] {
  const isRank = [...asked].some(word => isChief(word) || ranks.has(word));
  return [...notNow, ...(isRank ? below : [])].filter(word => !asked.has(word));
}

export function isSameTitle(asked: ReadTitle, held: ReadTitle): boolean {
  return asked.folded === held.folded;
}

/**
 * Whether a search for one title matches the other: it has all the requested words, in any order. Former chiefs and
 * their assistants match only if requested as such.
 */
export function isSimilarTitle(asked: ReadTitle, held: ReadTitle): boolean {
  if (asked.folded === held.folded) {
    return true;
  }
  if (asked.words.size === 0 || asked.words.size > held.words.size) {
    return false;
  }
  let isRank = false;
  for (const word of asked.words) {
    if (!held.words.has(word)) {
      return false;
    }
    isRank ||= isChief(word) || ranks.has(word);
  }
  for (const word of held.words) {
    if ((notNow.has(word) || (isRank && below.has(word))) && !asked.words.has(word)) {
      return false;
    }
  }
  return true;
}
