import { loadAnyAscii } from '../load-package.ts';
import type { SpelledName } from './name-patterns.ts';

/** A person's name as a source writes it. */
export interface WrittenName {
  readonly fullName: string;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
}

/** How many spellings of a name are tried: most have a few, and one of two double names with umlauts a hundred. */
const spellingsMax = 120;
/** Longer words and names are not those of a person. */
const wordCharactersMax = 40;
const wordsMax = 8;

/**
 * The spellings of a name in local parts: without diacritics and with the two letters that German and Nordic languages
 * write for some of them, in Latin letters, with and without particles, and with one part of a double name or both. None
 * for a name that is not in Latin, Cyrillic or Greek letters, because its order and its Latin form vary.
 */
export function spellName({ fullName, firstName, lastName }: WrittenName): SpelledName[] {
  const parts = partsOf(fullName, firstName ?? '', lastName ?? '');
  if (parts === undefined || [...parts.first, ...parts.middle, ...parts.last].some(isUnspellable)) {
    return [];
  }
  const firsts = [...formsOf(parts.first), ...joinedForms(parts)];
  const lasts = formsOf(parts.last);
  const m = initialOf(parts.middle[0] ?? '');
  const found = new Map<string, SpelledName>();
  for (const first of firsts) {
    for (const last of lasts) {
      for (const [f, l] of initialsOf(first, last)) {
        const name = { first: first.text, last: last.text, f, l, m };
        found.set(Object.values(name).join(' '), name);
      }
    }
  }
  return [...found.values()].slice(0, spellingsMax);
}

interface NameParts {
  readonly first: readonly string[];
  readonly middle: readonly string[];
  readonly last: readonly string[];
}

/** Words around a name that are not part of it. */
const titles = new Set(
  'dr prof professor mr mrs ms miss sir dame ing dipl mag hon rev phd md mba msc bsc ma ba dba jd cfa cpa pmp esq freiherr freifrau jr sr ii iii iv'.split(
    ' ',
  ),
);

/** Titles that are also names, as in Jack Ma: titles only in capitals. */
const alsoNames = new Set(['ma', 'ba', 'ing', 'hon', 'mag']);

/** Some of these before or after a name, as in `Dr.-Ing. Ada Lovelace`: their periods tell them from names. */
const abbreviated =
  /(?<![\p{L}\p{N}])(?:(?:dr|dipl)(?:\.[\s-]*|[\s-]+)ing(?!\p{L})\.?|(?:ing|mag|hon|med|rer|nat|phil|jur|pol|oec|habil|univ)\.)/giu;

/** Removes titles; a word that can be a name stays if one word alone would be left. */
function withoutTitles(words: readonly string[]): string[] {
  const named = words.filter(word => !isTitle(word));
  return named.length === 1 ? words.filter(word => !isTitle(word) || alsoNames.has(plainOf(word))) : named;
}

function isTitle(word: string): boolean {
  const plain = plainOf(word);
  return titles.has(plain) && !(alsoNames.has(plain) && word !== word.toUpperCase());
}

function plainOf(word: string): string {
  return word.replaceAll('.', '').toLowerCase();
}

/** Words that belong to the last name that follows them. */
const particles = new Set(
  'van von vom zu zum zur der den de del dei della dello di da das dos do du des la las le lo los el al bin ibn ben bint mac ní nic ó af av ter ten te st san'.split(
    ' ',
  ),
);

/**
 * Splits a full name into first and last name as it is written, without titles, degrees and nicknames in brackets.
 * Middle names go with the first name and particles with the last. A single word is a last name, because CRMs require one.
 * What the source gives separately is kept.
 */
export function splitName({ fullName, firstName, lastName }: WrittenName): {
  readonly first: string | null;
  readonly last: string | null;
} {
  const read = readFullName(fullName, writtenWordsOf);
  const first = read.first.join(' ') || null;
  if (firstName || lastName) {
    const rest = first === null ? { first: null, last: null } : { first, last: read.last.join(' ') };
    return { first: firstName || rest.first, last: lastName || rest.last };
  }
  return { first, last: read.last.join(' ') || fullName.trim() || null };
}

function partsOf(fullName: string, firstName: string, lastName: string): NameParts | undefined {
  const [ofFirst, ofLast] = [wordsOf(firstName), wordsOf(lastName)];
  if (ofFirst.length > 0 && ofLast.length > 0) {
    const [first = '', ...others] = ofFirst;
    const middle = others.length > 0 ? others : middleIn(wordsOf(fullName), ofFirst, ofLast);
    return { first: [first], middle, last: ofLast };
  }
  const { first, last } = readFullName(fullName, wordsOf);
  const [given, ...middle] = first;
  return given === undefined || first.length + last.length > wordsMax
    ? undefined
    : { first: [given], middle, last };
}

/** Reads `Ada Lovelace` and `Lovelace, Ada`; a single word is a last name. */
function readFullName(
  fullName: string,
  read: (text: string) => string[],
): { readonly first: readonly string[]; readonly last: readonly string[] } {
  const [given = '', ...pieces] = fullName.split(',');
  const before = read(given);
  const [after = [], ...others] = pieces.map(read);
  const isLastFirst =
    others.length === 0 || (before.length === 1 && others.every(words => words.length === 0));
  if (isLastFirst && after.length > 0 && !isDegree(pieces[0] ?? '', before)) {
    return { first: after, last: before };
  }
  const lastAt = before.length === 1 ? 0 : lastNameAt(before);
  return { first: before.slice(0, lastAt), last: before.slice(lastAt) };
}

/** Whether the text after the comma is a degree that we do not know, as in `Ada Lovelace, P.Eng.`. */
function isDegree(text: string, before: readonly string[]): boolean {
  const isAbbreviation = /^\S*(?:\p{L}{2}\.|\.\p{L}{2})\S*$/u.test(text.trim());
  const isInCapitals = /^\p{Lu}{2,}$/u.test(text.trim()) && before.some(word => word !== word.toUpperCase());
  return before.length > 1 && (isAbbreviation || isInCapitals);
}

/** Returns where the last name begins: at its particle or else at the last word. */
function lastNameAt(words: readonly string[]): number {
  const given = givenWithParticle(words);
  const particle = words.findIndex((word, at) => at >= Math.max(1, given) && particles.has(plainOf(word)));
  if (given > 0 && particle < 0) {
    // Two family names follow such a given name in Spanish, one in other countries.
    return Math.max(given, words.length - 2);
  }
  return particle > 0 && particle < words.length - 1 ? particle : Math.max(1, words.length - 1);
}

/** What follows particles in given names of Spanish: María del Carmen, María de los Ángeles. */
const givenAfterParticle = new Set(
  'carmen mar pilar rosario ángeles angeles luz jesús jesus lourdes rocío rocio fátima fatima socorro consuelo'.split(
    ' ',
  ),
);

/** The number of words of a given name that holds a particle; 0 if there is none, or nothing after it. */
function givenWithParticle(words: readonly string[]): number {
  const last = words.findIndex(
    (word, at) =>
      at > 1 && givenAfterParticle.has(word.toLowerCase()) && particles.has(plainOf(words[at - 1] ?? '')),
  );
  return last > 0 && last < words.length - 1 ? last + 1 : 0;
}

function middleIn(all: readonly string[], first: readonly string[], last: readonly string[]): string[] {
  const isWithin = all.length === first.length + last.length + 1 && all[0] === first[0];
  return isWithin ? all.slice(first.length, first.length + 1) : [];
}

/** The words of a name without titles, nicknames in brackets and quotes. */
function wordsOf(text: string): string[] {
  const words = nameOf(text)
    .replace(/[’'`´]/g, '')
    .split(/[\s.]+/)
    .map(word => word.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ''))
    .filter(word => word !== '' && word.length <= wordCharactersMax);
  return withoutTitles(words);
}

/** The same words as a person writes them: with apostrophes, and with the periods of initials. */
function writtenWordsOf(text: string): string[] {
  return withoutTitles(
    nameOf(text)
      .split(/\s+/)
      .filter(word => /\p{L}/u.test(word)),
  );
}

function nameOf(text: string): string {
  return text
    .normalize('NFC')
    .slice(0, 200)
    .replace(/\([^)]*\)|"[^"]*"|“[^”]*”/g, ' ')
    .replace(abbreviated, ' ');
}

/** True unless all letters are Latin, Cyrillic or Greek, and nothing else but hyphens is in the word. */
function isUnspellable(word: string): boolean {
  return !/^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]|-)+$/u.test(word);
}

/** One way to write a first or a last name. */
interface Form {
  readonly text: string;
  /** The first letters of its words. */
  readonly initials: string;
}

function formsOf(words: readonly string[]): Form[] {
  const proper = words.filter(word => !particles.has(word.toLowerCase()));
  const pieces = namesIn((proper.length === 0 ? words : proper).flatMap(word => word.split('-')));
  const [named] = proper;
  const particlesBefore = named === undefined ? [] : words.slice(0, words.indexOf(named));
  const choices = [
    words.flatMap(word => word.split('-')).filter(Boolean),
    pieces,
    ...(pieces.length > 1 ? [pieces.slice(0, 1), pieces.slice(-1)] : []),
  ];
  const forms = [
    ...choices.flatMap(spellForms),
    ...(particlesBefore.length > 1 ? abbreviatedForms(particlesBefore, pieces) : []),
  ];
  return [...new Map(forms.map(form => [form.text, form])).values()];
}

/** The parts of a last name without particles, as in `Al-Fayed`, unless there is nothing else. */
function namesIn(pieces: readonly string[]): string[] {
  const named = pieces.filter(piece => piece !== '' && !particles.has(piece.toLowerCase()));
  return named.length > 0 ? named : pieces.filter(Boolean);
}

function spellForms(chosen: readonly string[]): Form[] {
  return spellWords(chosen).flatMap(spelled =>
    (spelled.length > 1 ? ['', '-', '.'] : ['']).map(mark => ({
      text: spelled.join(mark),
      initials: spelled.map(word => word.charAt(0)).join(''),
    })),
  );
}

/** As in `vdberg` for van den Berg. */
function abbreviatedForms(before: readonly string[], pieces: readonly string[]): Form[] {
  const initials = before.map(initialOf).join('');
  return spellWords(pieces).map(spelled => ({ text: initials + spelled.join(''), initials }));
}

/** Both first names written as one, as in `annemarie` for Anne Marie, where they have no pattern of initials. */
function joinedForms({ first, middle }: NameParts): Form[] {
  const [second = ''] = middle;
  return middle.length === 1 && second.length > 1
    ? spellForms([...first, second]).map(form => ({ ...form, initials: form.initials.charAt(0) }))
    : [];
}

function initialsOf(first: Form, last: Form): [f: string, l: string][] {
  const single: [string, string] = [first.initials.charAt(0), last.initials.charAt(0)];
  const isDouble = first.initials.length > 1 && first.initials.length <= 3;
  return isDouble ? [single, [first.initials, single[1]]] : [single];
}

function initialOf(word: string): string {
  return latinOf(word.toLowerCase()).charAt(0);
}

/** Spells all words in each way; a person does not mix the ways. */
function spellWords(words: readonly string[]): string[][] {
  const lower = words.map(word => word.toLowerCase());
  const spelled = ways
    .map(way => lower.map(way))
    .filter(each => each.every(word => /^[\p{L}\p{M}]+$/u.test(word)));
  return [...new Map(spelled.map(each => [each.join(' '), each])).values()];
}

const ways: readonly ((word: string) => string)[] = [
  latinOf,
  word => latinOf(replaceAll(word, twoLetters)),
  word => (isCyrillic(word) ? replaceAll(latinOf(word), shorter) : latinOf(word)),
  word => (isCyrillic(word) ? replaceAll(latinOf(word), shortest) : latinOf(word)),
  word => (isCyrillic(word) ? latinOf(replaceAll(word, cyrillicInGerman)) : latinOf(word)),
  // As it is, for a domain with international local parts (RFC 6531).
  word => word,
];

function isCyrillic(word: string): boolean {
  return /\p{Script=Cyrillic}/u.test(word);
}

/** Greek digraphs are one sound each; all other letters are written one by one. */
function latinOf(word: string): string {
  const greek = replaceAll(word.normalize('NFC'), greekDigraphs);
  const latin = /^[ -~]*$/.test(greek) ? greek : loadAnyAscii().default(greek);
  return latin.toLowerCase().replace(/[^a-z]/g, '');
}

const twoLetters: readonly (readonly [RegExp, string])[] = [
  [/ä/g, 'ae'],
  [/ö/g, 'oe'],
  [/ü/g, 'ue'],
  [/ø/g, 'oe'],
  [/å/g, 'aa'],
];

const greekDigraphs: readonly (readonly [RegExp, string])[] = [
  [/ο[υύ]/g, 'ou'],
  [/α[υύ]/g, 'av'],
  [/ε[υύ]/g, 'ev'],
];

/** Passports and private spellings shorten what the transliteration writes with more letters. */
const shorter: readonly (readonly [RegExp, string])[] = [
  [/iy$/g, 'y'],
  [/yu/g, 'iu'],
  [/ya/g, 'ia'],
  [/ey$/g, 'ei'],
];

/** As in Maria and Yulia. */
const shortest: readonly (readonly [RegExp, string])[] = [
  [/iya/g, 'ia'],
  [/iy$/g, 'y'],
];

const cyrillicInGerman: readonly (readonly [RegExp, string])[] = [
  [/щ/g, 'schtsch'],
  [/ш/g, 'sch'],
  [/ч/g, 'tsch'],
  [/ж/g, 'sch'],
  [/ю/g, 'ju'],
  [/я/g, 'ja'],
  [/й/g, 'i'],
  [/в/g, 'w'],
];

function replaceAll(text: string, rules: readonly (readonly [RegExp, string])[]): string {
  return rules.reduce((replaced, [from, to]) => replaced.replace(from, to), text);
}
