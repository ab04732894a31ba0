import type { Department } from '@mailproof/shared-types';
import { foldLetters } from '@mailproof/shared-types/name-words';
import { departmentOfWords, wordsForPeople, wordsThatTell } from './department-words.ts';
import { callingsByEnding, compoundEndings, meaningOfPhrase, phraseWordsMax } from './title-phrases.ts';

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

/**
 * Folds a title for word-by-word comparison, without gender markers such as `(m/w/d)` and `:in`. Titles that are folded
 * alike are one title, so nothing else of them is ever read.
 */
export function foldTitle(title: string): string {
  const withoutForms = title
    .slice(0, titleCharactersMax)
    .replace(/\(\s*[a-z]\s*([/|]\s*[a-z]\s*){1,3}\)/giu, ' ')
    .replace(/(\p{L})\s?[:*/_·•(]-?(innen|in|rice|trice|euse|ere|ne|e|a|o)\)?(?=$|[\s,;/|&)-])/giu, '$1');
  return foldText(withoutForms.replaceAll('@', ' at '));
}

/**
 * The distinct words of a title's meaning: abbreviations, synonyms, forms and other languages are unified, and words
 * without meaning are dropped. So is the context of a title: `CEO at Sales Inc.` is not a sales title, and an assistant
 * to the CEO is not a CEO.
 */
export function wordsOfTitle(title: string): ReadonlySet<string> {
  const own = withoutContext(foldTitle(title));
  return inContext(wordsIn(withoutOthers(own)), own);
}

/** Without where the title is held. */
export function withoutContext(folded: string): string {
  return folded.replace(/(?:^| )(?:at|bei|chez) .*$/u, '') || folded;
}

function wordsIn(folded: string): Set<string> {
  const written = folded.split(' ');
  const words = new Set<string>();
  for (let at = 0; at < written.length; ) {
    at += readPhrase(written, at, words);
  }
  if ([...words].some(isChief)) {
    words.delete('officer');
  }
  return words;
}

const served =
  /^(.*\b(?:assistant|assistante|assistentin|secretary|advisor|adviser|aide|pa|ea|chief of staff|associate)\b.*?) to (?:the )?.+$/u;
const peopleServed =
  /\b(volunteers?|students?|interns?|internship|apprentices?|apprenticeship|trainees?|alumni)(?= (?:services|affairs|relations|success|engagement|recruitment|support|life|experience|programs?|programme|coordinator|manager|adviser|advisor|director|counsell?or|recruiter|officer|liaison|development)\b)/gu;

/** Without the people that a title serves: the CEO of an assistant, the students of an adviser. */
function withoutOthers(folded: string): string {
  const own = served.exec(folded)?.[1] ?? folded;
  return own
    .replace(/\boffice of (the )?.*$/u, 'office')
    .replace(/\b(?:of|for) (?:students|volunteers|interns|apprentices|trainees)\b/gu, 'student_matters')
    .replace(peopleServed, each => (each.startsWith('volunteer') ? 'volunteer_matters' : 'student_matters'));
}

/** Words whose meaning depends on the others of the title. */
function inContext(words: Set<string>, folded: string): Set<string> {
  const replace = (word: string, by: string) => words.delete(word) && words.add(by);
  if (words.has('eng')) {
    replace('eng', isRanked(words) ? 'engineering' : 'engineer');
  }
  // The managing director of a field is a rank of banks and consultancies; the one of a country leads its company.
  if (words.has('managing_director')) {
    const others = new Set([...words].filter(word => word !== 'managing_director'));
    const department = departmentOfWords(others);
    const isRank = department !== null && !/\b(ltd|limited|gmbh|inc|llc|ag|plc|bv)\b/u.test(folded);
    if (!isRank) {
      replace('managing_director', 'chief_executive');
    }
  }
  if (words.has('md')) {
    replace('md', departmentOfWords(words) === 'health' || words.has('dr') ? 'physician' : 'chief_executive');
  }
  // A French chef leads what the title names; a cook is one without.
  if (words.has('chef')) {
    const led = departmentOfWords(new Set([...words].filter(word => word !== 'chef')));
    if (led !== null && led !== 'hospitality') {
      replace('chef', 'manager');
    }
  }
  // The partner of a supporting function advises colleagues; the one of a field that firms sell owns a share. A partner
  // manager is no partner.
  if (words.has('partner')) {
    const [, supported = '', next = ''] = /^(.+)(?<! and) partner(?: (\S+))?/u.exec(folded) ?? [];
    const department = departmentOfWords(words);
    const isSupported = !isKnown(next) && departmentOfWords(wordsIn(supported)) !== null;
    if (isSupported && department !== null && !firms.has(department)) {
      replace('partner', 'business_partner');
    }
  }
  return words;
}

/** The departments whose work firms of partners sell. */
const firms: ReadonlySet<Department> = new Set<Department>([
  'finance',
  'legal',
  'professional_service',
  'advisory',
  'health',
  'engineering',
  'partnerships',
]);

function isRanked(words: ReadonlySet<string>): boolean {
  return [...words].some(word => isChief(word) || ranks.has(word) || word === 'manager' || word === 'lead');
}

/** Reads the longest phrase that begins at `at`, or one word; returns the number of words read. */
function readPhrase(written: readonly string[], at: number, words: Set<string>): number {
  const word = written[at] ?? '';
  for (const form of [word, ...otherForms(word)]) {
    const longest = Math.min(phraseWordsMax.get(form) ?? 0, written.length - at);
    for (let length = longest; length > (form === word ? 0 : 1); length -= 1) {
      const between = written.slice(at + 1, at + length - 1);
      const last = length > 1 ? (written[at + length - 1] ?? '') : '';
      const meaning = (last === '' ? [''] : [last, ...otherForms(last)])
        .map(each => meaningOfPhrase.get([form, ...between, each].join(' ').trim()))
        .find(Boolean);
      if (meaning) {
        addAll(words, meaning);
        return length;
      }
    }
  }
  if (word !== '' && !fillers.has(word)) {
    addAll(words, meaningOfWord(word));
  }
  return 1;
}

function addAll(words: Set<string>, added: readonly string[]): void {
  for (const word of added) {
    words.add(word);
  }
}

/** The meaning of a word: as it is known, in another form, as a compound, or by its ending. */
function meaningOfWord(word: string): readonly string[] {
  if (wordsThatTell.has(word)) {
    return [word];
  }
  const form = otherForms(word).find(isKnown);
  if (form !== undefined) {
    return meaningOfPhrase.get(form) ?? [form];
  }
  const compound = compoundOf(word);
  if (compound) {
    return compound;
  }
  const calling =
    callingsByEnding.find(([ending]) => ending.test(word))?.[1] ??
    longCallings.find(each => word.endsWith(each));
  return calling === undefined ? [word] : [word, calling];
}

/** Callings that end longer words of the same kind: a screenwriter writes. */
const longCallings = [...wordsForPeople].filter(word => word.length > 5);

function isKnown(word: string): boolean {
  return meaningOfPhrase.has(word) || wordsThatTell.has(word);
}

/** The forms of which a word may be the feminine, the plural, or both, in the languages of the phrases. */
function otherForms(word: string): string[] {
  return word.length < 5
    ? []
    : formEndings
        .filter(([ending]) => word.endsWith(ending) && word.length >= ending.length + 4)
        .map(([ending, by]) => word.slice(0, -ending.length) + by);
}

/** The beginnings of a compound, the longest first: a part of a compound can be one too. */
function beginningsOf(stem: string): string[] {
  return Array.from({ length: Math.max(0, stem.length - 5) }, (_, at) => stem.slice(0, stem.length - 1 - at));
}

const formEndings: readonly (readonly [ending: string, by: string])[] = [
  ['innen', ''],
  ['in', ''],
  ['s', ''],
  ['ies', 'y'],
  ['trice', 'teur'],
  ['trice', 'tore'],
  ['euse', 'eur'],
  ['iere', 'ier'],
  ['enne', 'en'],
  ['ante', 'ant'],
  ['ora', 'or'],
  ['a', 'o'],
  ['e', ''],
  ['men', 'man'],
];

/** Reads a German or Dutch compound whose last part is known: `Vertriebsmanager`, `verkoopmanager`. */
function compoundOf(word: string): readonly string[] | undefined {
  for (const [ending, meaning] of compoundEndings) {
    if (!word.endsWith(ending) || word.length < ending.length + 3) {
      continue;
    }
    const stem = word.slice(0, -ending.length);
    const first = [stem, stem.replace(/(s|es|n|en|ungs)$/u, ''), `${stem}e`, ...beginningsOf(stem)].find(
      isKnown,
    );
    const named = first === undefined ? [stem] : (meaningOfPhrase.get(first) ?? [first]);
    return [...named, ...meaning];
  }
  return undefined;
}

export function isChief(word: string): boolean {
  return word === 'chief' || word === 'chief_executive';
}

/** Words that mark a title as not currently held. */
const notNow: ReadonlySet<string> = new Set(['former', 'retired', 'aspiring']);
/** Words that place a person below the rank in their title. */
const below: ReadonlySet<string> = new Set([
  'assistant',
  'secretary',
  'intern',
  'trainee',
  'student',
  'chief_of_staff',
]);
const ranks: ReadonlySet<string> = new Set([
  'vice_president',
  'president',
  'director',
  'managing_director',
  'head',
]);

/** A title prepared for repeated matching. */
export interface ReadTitle {
  readonly folded: string;
  readonly words: ReadonlySet<string>;
}

export function readTitle(title: string): ReadTitle {
  return { folded: foldTitle(title), words: wordsOfTitle(title) };
}

/** The readings of a requested title, any of which may match: `Managing Director` leads a company, or is a rank. */
export function readingsOf(title: string): readonly ReadTitle[] {
  const read = readTitle(title);
  const others = [...read.words].filter(word => word !== 'chief_executive');
  return others.length < read.words.size && /\bmanaging director\b/u.test(read.folded)
    ? [read, { ...read, words: new Set(['managing_director', ...others]) }]
    : [read];
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
