import type { SeedWords } from './lookalike-ranking.ts';

/** The text of a company that the ranking reads. It excludes the industry, by which strengths are measured. */
export interface CompanyText {
  readonly name: string;
  readonly description: string | null;
  readonly keywords: readonly string[];
}

/** One word of a company's text. */
export interface Term {
  readonly stem: string;
  /** The spelling in the text. */
  readonly surface: string;
  /**
   * Decreases with the number of preceding sentences: texts say first what a company does, and last where it is and
   * since when.
   */
  readonly weight: number;
  /** Whether it is capitalized where the sentence does not require it; null where it does. */
  readonly isCapital: boolean | null;
}

/** The words of a text as the ranking counts them: each stem with the sum of its weights. */
export function wordsOfText(company: CompanyText): SeedWords {
  const words = new Map<string, number>();
  for (const { stem, weight } of termsOf(company)) {
    words.set(stem, (words.get(stem) ?? 0) + weight);
  }
  return Object.fromEntries(words);
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
/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with control characters.
const isAscii = /^[\x00-\x7f]*$/;

/** Returns the words of a company's text that may tell what it does, in order, without its own name. */
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
      // A period after a single letter belongs to an abbreviation.
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
  occurrence: Pick<Term, 'weight' | 'isCapital'>,
  nameWords: ReadonlySet<string>,
): void {
  const folded = fold(word);
  if (unspaced.test(folded)) {
    for (const pair of pairsOf(folded)) {
      terms.push({ stem: pair, surface: pair, ...occurrence });
    }
    return;
  }
  if (folded.length < 2 || stopWords.has(folded) || isNumber.test(folded)) {
    return;
  }
  // A word of the name in lower case ("bank") is an ordinary word.
  if (nameWords.has(folded) && occurrence.isCapital !== false) {
    return;
  }
  terms.push({ stem: lightStem(folded), surface: word.replace(/['’]s$/u, ''), ...occurrence });
}

function wordsOfName(name: string): Set<string> {
  return new Set([...name.matchAll(wordsAndStops)].map(([word]) => fold(word)));
}

function withoutName(text: string, name: string): string {
  return name.trim() === '' ? text : text.replaceAll(name, ' ');
}

/** Converts to lower case and removes accents and the genitive ending. */
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

/**
 * Unifies singular and plural. More aggressive stemming would merge words that distinguish industries ("organic" and
 * "organization"), and its stems could not be displayed.
 */
function lightStem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) {
    return `${word.slice(0, -3)}y`;
  }
  if (word.length > 4 && word.endsWith('sses')) {
    return word.slice(0, -2);
  }
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) {
    return word.slice(0, -1);
  }
  return word;
}

/** English words that say nothing about what a company does. Other common words are detected from the corpus. */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also although am among an and any are as at be because been before being below
  between both but by can could did do does doing down during each etc few for from further had has have having he
  her here hers him his how i if in into is it its itself just like me more most my no nor not of off on once only or
  other others our out over own per same she should so some such than that the their theirs them then there these
  they this those through to too under until up upon very via was we well were what when where which while who whom
  why will with within without would you your`.split(/\s+/),
);
