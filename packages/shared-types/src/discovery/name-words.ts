/** Letters that Unicode does not decompose into a base and a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ı: 'i',
};

/** Returns a text in lower case and without accents (NFKD without marks). */
export function foldLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđðı]/g, letter => letters[letter] ?? letter);
}

/**
 * Returns the words of a person's name as the search compares them: without case, accents and apostrophes, divided at
 * everything that is neither a letter nor a digit. `J.-P. O’Brien` has the words `j`, `p` and `obrien`.
 */
export function wordsOfName(name: string): string[] {
  return foldLetters(name)
    .replace(/['’`´]/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}
