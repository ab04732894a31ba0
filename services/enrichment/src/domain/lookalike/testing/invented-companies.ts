import type { StoredCompany } from '../build-model.ts';
import { seededRandom } from '../seeded-random.ts';

const wordsOfTrade = 40;
const wordsOfAll = 300;

/**
 * Generates companies of invented trades. Each uses a few of its trade's words in a first sentence, so that many
 * companies of one trade share none, and then words that all companies use; `strayShare` of the first words belong to
 * random trades.
 */
export function inventedCompanies(
  count: number,
  trades: number,
  { seed = 3, strayShare = 0.1 }: { seed?: number; strayShare?: number } = {},
): StoredCompany[] {
  const random = seededRandom(seed);
  const below = (size: number) => Math.floor(random() * size);
  return Array.from({ length: count }, (_, at) => {
    const trade = at % trades;
    const first = Array.from({ length: 8 }, () =>
      wordOf(random() < strayShare ? below(trades) : trade, below(wordsOfTrade)),
    );
    const rest = Array.from({ length: 20 }, () => wordOf(trades, below(wordsOfAll)));
    return {
      companyNo: at + 1,
      name: `Company ${at + 1}`,
      description: `We make ${first.join(' ')}. Founded in Bonn, it has ${rest.join(' ')}.`,
      keywords: [],
      industryLabel: `trade ${trade}`,
      facets: {
        industry: `trade ${trade}`,
        companySize: at % 2 === 0 ? '1-10' : '11-50',
        revenue: null,
        companyType: null,
        country: at % 3 === 0 ? 'DE' : 'FR',
      },
    };
  });
}

/** Makes a word of only letters from two numbers. */
export function wordOf(group: number, number: number): string {
  const letters = (value: number) =>
    [...value.toString(26)].map(digit => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
  return `${letters(group)}k${letters(number)}o`;
}
