import { meaningOfPhrase, phraseWordsMax } from './title-phrases.ts';

/** A title longer than this is read to here alone. */
const titleCharactersMax = 300;

/** Words between others that say nothing, in the languages of the phrases. */
const fillers = new Set(
  'of the and for in a an de la le les du des d del der die das den und et y e di da do dos fur von im l el los las to on'.split(
    ' ',
  ),
);

/** Letters that Unicode does not take apart into a base and a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
};

/**
 * Text as it is compared: lower case, without accents and punctuation, one blank between words. Dots within
 * abbreviations join (`V.P.`), and `c++`, `c#` and `.net` stay what they are.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđð]/g, letter => letters[letter] ?? letter)
    .replace(/\b(\p{L})\.(?=\p{L}(\.|\s|$))/gu, '$1')
    .replace(/['’`´]/gu, '')
    .replace(/\+\+/g, 'plusplus')
    .replace(/c#/g, 'csharp')
    .replace(/\.net\b/g, 'dotnet')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A title as it is compared word by word, without forms for genders such as `(m/w/d)` and `:in`. */
export function foldTitle(title: string): string {
  const withoutForms = title
    .slice(0, titleCharactersMax)
    .replace(/\(\s*[a-z]\s*([/|]\s*[a-z]\s*){1,3}\)/giu, ' ')
    .replace(/(\p{L})\s?[:*/_·•(]-?(innen|in|rice|trice|euse|ere|ne|e|a|o)\)?(?=$|[\s,;/|&)-])/giu, '$1');
  return foldText(withoutForms);
}

/**
 * The words of a title's meaning, each once: abbreviations, other words for the same and other languages are read as
 * one, and words that say nothing are left out. What a title names besides itself is left out too: `CEO at Sales Inc.`
 * is no title of sales, and an assistant to the CEO is none.
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

/** Takes in the longest phrase that begins there, or the word; answers how many words that were. */
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
