import { lightStem } from './light-stem.ts';
import { stopWords } from './stop-words.ts';

/** What the ranking reads of a company. Its industry is not among it: that is what strengths are measured by. */
export interface CompanyText {
  readonly name: string;
  readonly description: string | null;
  readonly keywords: readonly string[];
}

/** One word of a company's text. */
export interface Term {
  readonly stem: string;
  /** As it is written in the text. */
  readonly surface: string;
  /** Falls with the number of sentences before it: texts say first what a company does, and last where and since when. */
  readonly weight: number;
  /** Whether it is written with a capital where the sentence would not ask for one; null where it would. */
  readonly isCapital: boolean | null;
}

const textLengthMax = 20_000;
const termsMax = 2_000;
const keywordsMax = 100;
const keywordWeight = 1;
const firstSentenceWeight = 2;

const wordsAndStops = /[\p{L}\p{N}]+(?:['’]\p{L}+)?|[.!?](?=\s|$)|[。！？]/gu;
const stop = /^[.!?。！？]$/u;
const isNumber = /^\p{N}+$/u;
const isUpper = /^\p{Lu}/u;
/** Scripts that write no space between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with control characters.
const isAscii = /^[\x00-\x7f]*$/;

/** The words of a company's text that may tell what it does, in their order. Its own name is left out. */
export function termsOf(company: CompanyText): Term[] {
  const nameWords = wordsOfName(company.name);
  const description = (company.description ?? '').slice(0, textLengthMax);
  const terms = termsOfText(withoutName(description, company.name), nameWords);
  for (const keyword of company.keywords.slice(0, keywordsMax)) {
    for (const [word] of keyword.slice(0, 200).matchAll(wordsAndStops)) {
      addWord(terms, word, { weight: keywordWeight, isCapital: null }, new Set());
    }
  }
  return terms;
}

function termsOfText(text: string, nameWords: ReadonlySet<string>): Term[] {
  const terms: Term[] = [];
  let sentence = 0;
  let isFirst = true;
  let lastLength = 0;
  for (const [word] of text.matchAll(wordsAndStops)) {
    if (terms.length >= termsMax) {
      break;
    }
    if (stop.test(word)) {
      // A full stop after a single letter belongs to an abbreviation.
      if (lastLength > 1 && !isFirst) {
        sentence++;
        isFirst = true;
      }
      continue;
    }
    const isCapital = isFirst ? null : isUpper.test(word);
    addWord(terms, word, { weight: firstSentenceWeight / (1 + sentence), isCapital }, nameWords);
    isFirst = false;
    lastLength = word.length;
  }
  return terms;
}

function addWord(
  terms: Term[],
  word: string,
  place: Pick<Term, 'weight' | 'isCapital'>,
  nameWords: ReadonlySet<string>,
): void {
  const folded = fold(word);
  if (unspaced.test(folded)) {
    for (const pair of pairsOf(folded)) {
      terms.push({ stem: pair, surface: pair, ...place });
    }
    return;
  }
  if (folded.length < 2 || stopWords.has(folded) || isNumber.test(folded)) {
    return;
  }
  // A word of the name that is written small ("bank") is a word of the text.
  if (nameWords.has(folded) && place.isCapital !== false) {
    return;
  }
  terms.push({ stem: lightStem(folded), surface: word.replace(/['’]s$/u, ''), ...place });
}

function wordsOfName(name: string): Set<string> {
  return new Set([...name.matchAll(wordsAndStops)].map(([word]) => fold(word)));
}

function withoutName(text: string, name: string): string {
  return name.trim() === '' ? text : text.replaceAll(name, ' ');
}

/** Small letters, without accents and without the ending of a genitive. */
function fold(word: string): string {
  const plain = isAscii.test(word) ? word : word.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain
    .toLowerCase()
    .replace(/['’]s$/u, '')
    .replace('’', "'");
}

function pairsOf(text: string): string[] {
  const letters = [...text];
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
