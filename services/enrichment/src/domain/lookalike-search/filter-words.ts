import { type CompanyFilters, companySizes, companyTypes, revenues } from '@mailproof/shared-types';
import countries from 'i18n-iso-countries/index.js';
import { nearestValues } from '../people-search/check-filters.ts';
import { countryName } from '../people-search/labels.ts';
import { type UnknownFilterValue, UnknownFilterValues } from '../people-search/people-index.ts';
import { industries, industryOf } from '../reading/industry.ts';

/** How a vocabulary reads a word, and which words it has. */
interface Vocabulary {
  /** Returns the word as spelled in the store. */
  readonly read: (word: string) => string | undefined;
  /** Returns the suggestions for an unknown word. */
  readonly known: (word: string) => Pick<UnknownFilterValue, 'known' | 'isWhole'>;
}

/** A short vocabulary is listed as a whole. */
const fixed = (words: readonly string[]): Vocabulary => ({
  read: word => words.find(each => each.toLowerCase() === word.toLowerCase()),
  known: () => ({ known: words, isWhole: true }),
});

const vocabularies = {
  countries: {
    read: code => (isCountry(code) ? code : undefined),
    known: word => ({
      known: nearestValues(
        word,
        Object.keys(countries.getAlpha2Codes()).map(code => [code, countryName(code)]),
      ),
      isWhole: false,
    }),
  },
  // Source labels of industries are accepted too, because users know them from there.
  industries: {
    read: label => industryOf(label)?.industry,
    known: word => ({
      known: nearestValues(
        word,
        industries.map(({ name, labels }) => [name, ...labels.map(({ label }) => label)]),
      ),
      isWhole: false,
    }),
  },
  company_sizes: fixed(companySizes),
  revenues: fixed(revenues),
  company_types: fixed(companyTypes),
} as const satisfies Partial<Record<keyof CompanyFilters, Vocabulary>>;

/** Requires two letters, because the library also accepts longer codes. */
function isCountry(code: string): boolean {
  return code.length === 2 && countries.isValid(code);
}

type VocabularyName = keyof typeof vocabularies;

const vocabularyNames = Object.keys(vocabularies) as VocabularyName[];

/**
 * Translates filters to the words of the store. @throws UnknownFilterValues with all unknown words
 */
export function knownFilters(filters: CompanyFilters): CompanyFilters {
  const unknown: UnknownFilterValue[] = [];
  const known: CompanyFilters = { ...filters };
  for (const name of vocabularyNames) {
    const words = filters[name];
    if (words) {
      known[name] = readWords(name, words, unknown);
    }
  }
  if (unknown.length > 0) {
    throw new UnknownFilterValues(unknown);
  }
  return known;
}

function readWords(name: VocabularyName, words: readonly string[], unknown: UnknownFilterValue[]): string[] {
  const vocabulary: Vocabulary = vocabularies[name];
  const known = new Set<string>();
  for (const [index, word] of words.entries()) {
    const value = vocabulary.read(word);
    if (value === undefined) {
      unknown.push({ pointer: `/${name}/${index}`, value: word, ...vocabulary.known(word) });
    } else {
      known.add(value);
    }
  }
  return [...known];
}
