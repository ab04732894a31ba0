import { foldTitle, isChief, wordsOfTitle } from './title-words.ts';

/** Words by which a title says that it is not held now. */
const notNow: ReadonlySet<string> = new Set(['former', 'retired', 'aspiring']);
/** Words by which somebody stands below the rank that their title names. */
const below: ReadonlySet<string> = new Set(['assistant', 'secretary', 'intern', 'trainee', 'student']);
const ranks: ReadonlySet<string> = new Set(['vice_president', 'president', 'director', 'head']);

/** A title as it is matched again and again. */
export interface ReadTitle {
  readonly folded: string;
  readonly words: ReadonlySet<string>;
}

export function readTitle(title: string): ReadTitle {
  return { folded: foldTitle(title), words: wordsOfTitle(title) };
}

export function isSameTitle(asked: ReadTitle, held: ReadTitle): boolean {
  return asked.folded === held.folded;
}

/**
 * Whether somebody who asks for a title means this one too: it has all the words of what was asked, in any order. Former
 * chiefs and their assistants are meant by those alone who say so.
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
