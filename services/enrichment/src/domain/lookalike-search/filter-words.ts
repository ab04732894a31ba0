import { type CompanyFilters, companySizes, companyTypes, revenues } from '@mailproof/shared-types';
import countries from 'i18n-iso-countries';
import { type UnknownFilterValue, UnknownFilterValues } from '../people-search/people-index.ts';
import { industries, industryOf } from '../reading/industry.ts';

/** How a vocabulary reads a word, and what it has. */
interface Vocabulary {
  /** The word as the store has it. */
  readonly read: (word: string) => string | undefined;
  readonly words: readonly string[];
}

const fixed = (words: readonly string[]): Vocabulary => ({
  read: word => words.find(each => each.toLowerCase() === word.toLowerCase()),
  words,
});

const vocabularies = {
  countries: {
    read: code => (countries.isValid(code) && code.length === 2 ? code : undefined),
    words: Object.keys(countries.getAlpha2Codes()),
  },
  // What sources call an industry is read as well: people have it from there.
  industries: { read: label => industryOf(label)?.industry, words: industries.map(({ name }) => name) },
  company_sizes: fixed(companySizes),
  revenues: fixed(revenues),
  company_types: fixed(companyTypes),
} as const satisfies Partial<Record<keyof CompanyFilters, Vocabulary>>;

type VocabularyName = keyof typeof vocabularies;

const vocabularyNames = Object.keys(vocabularies) as VocabularyName[];

/** The filters in the words of the store. @throws UnknownFilterValues naming every word that no vocabulary has */
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
  const { read, words: all }: Vocabulary = vocabularies[name];
  const known = new Set<string>();
  for (const [index, word] of words.entries()) {
    const value = read(word);
    if (value === undefined) {
      unknown.push({ pointer: `/${name}/${index}`, value: word, known: all, isWhole: true });
    } else {
      known.add(value);
    }
  }
  return [...known];
}
