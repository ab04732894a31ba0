import { wordsOfText } from '../lookalike/company-text.ts';
import type { SeedWords } from '../lookalike/lookalike-ranking.ts';
import { cleanText } from '../profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { PageFacts } from './forbidden-pages.ts';
import { readProfilePage } from './read-profile-page.ts';

const charactersMax = 8_000;
const wordsMax = 300;
const keywordsMax = 100;
const keywordCharactersMax = 200;
/** Pages that a script fills, or that announce a site, have fewer. */
const wordsMin = 10;

/**
 * Returns the words by which a company is compared, from the first page of its website: from its description, then from
 * its title and visible text, because the first sentences count most. The words are in alphabetical order, without
 * names of the company, email addresses and telephone numbers. Null if there are too few.
 */
export function pageWords(facts: PageFacts, text: string, site: ProfileUrl): SeedWords | null {
  const {
    company,
    description,
    keywords = [],
  } = readProfilePage(facts, { ...site, kind: 'organisation' }) ?? {};
  const said = description ?? facts.meta.get('description') ?? facts.meta.get('og:description') ?? '';
  const lines = [said, ...text.split('\n')].flatMap(line => cleanText(line, charactersMax) ?? []);
  const words = wordsOfText({
    name: company ?? facts.meta.get('og:site_name') ?? (site.profileKey.split('.', 1)[0] ?? '').toUpperCase(),
    // A line of a page ends like a sentence.
    description: lines
      .map(line => line.replace(/[.!?]?$/, '.'))
      .join(' ')
      .slice(0, charactersMax),
    keywords: keywords.slice(0, keywordsMax).flatMap(each => cleanText(each, keywordCharactersMax) ?? []),
  });
  const first = Object.entries(words)
    .sort(([, one], [, other]) => other - one)
    .slice(0, wordsMax)
    // Powers of two, so that words of several sentences have the same weight.
    .map(([stem, weight]) => [stem, 2 ** Math.round(Math.log2(weight))] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return first.length < wordsMin ? null : Object.fromEntries(first);
}
