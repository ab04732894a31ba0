import type { UnusableReason } from './lookalike-ranking.ts';

/** How much of a text must be words, and words that the model knows. */
interface WordsNeeded {
  readonly wordsMin: number;
  readonly knownShareMin: number;
}

/** A company in the store is compared by any word that another company uses too. */
export const ofCompany: WordsNeeded = { wordsMin: 1, knownShareMin: 0 };

/**
 * Fewer words of a website or a written text would be a keyword search. A text of which the model knows a smaller share
 * is probably in another language than the store.
 */
export const ofDescription: WordsNeeded = { wordsMin: 3, knownShareMin: 0.1 };

/** Why a text with so many different words cannot be compared; null if it can. */
export function whyUnusable(
  words: number,
  known: number,
  { wordsMin, knownShareMin }: WordsNeeded,
): UnusableReason | null {
  if (words < wordsMin) {
    return 'too_little_text';
  }
  return known < wordsMin || known < knownShareMin * words ? 'other_language' : null;
}
