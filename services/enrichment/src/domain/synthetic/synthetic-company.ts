import { bandOf, type CompanyType, companySizeBands, revenueBands } from '@mailproof/shared-types';
import type { CompanyRecord } from '../profile-store/company-record.ts';
import { type IndustryPhrases, industryPhrases } from './industry-phrases.ts';
import { places } from './places.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** Keeps the numbers of companies apart from those of people. */
const stream = 1;

const first = (
  'Amber Alder Arc Atlas Aurora Beacon Birch Blue Bright Cedar Clear Copper Coral Crest Delta Drift Echo Elm Ember Evergreen ' +
  'Falcon Fern Fjord Flint Forge Garnet Glade Granite Harbor Hazel Heron Hollow Indigo Iris Ivory Juniper Kestrel Kite Lake ' +
  'Lantern Larch Lark Linden Lumen Maple Marble Meadow Mesa Mica Mistral Nimbus North Nova Oak Obsidian Onyx Opal Orbit Osprey ' +
  'Otter Pearl Pine Polar Prairie Quartz Raven Ridge River Robin Saffron Sage Salt Sequoia Silver Slate Solstice Spruce Stone ' +
  'Summit Swift Tamarack Teal Terra Thistle Tide Timber Topaz Trail Umber Vale Verdant Violet Walnut Willow Wren Zephyr Zinc'
).split(' ') as unknown as readonly [string, ...string[]];

const second = (
  'able arch bay beam bell bend bird bloom bow branch bridge brook burn cliff coast cove craft crown dale dawn field fin fire ' +
  'ford frost gate glen grove haven hawk heart hill holm horn house key land leaf light line loft mark mill moon moor mount ' +
  'path peak point pool port reach rise rock root sail shore side sky song spark spire spring star stead stream sun thorn ' +
  'tower town vane view wall ware watch water wave way well wind wing wood work yard'
).split(' ') as unknown as readonly [string, ...string[]];

/** How many companies have how many people. */
interface Size {
  readonly weight: number;
  readonly from: number;
  readonly to: number;
}

/** Most companies are small. */
const sizes: readonly [Size, ...Size[]] = [
  { weight: 34, from: 2, to: 10 },
  { weight: 30, from: 11, to: 50 },
  { weight: 18, from: 51, to: 200 },
  { weight: 8, from: 201, to: 500 },
  { weight: 4, from: 501, to: 1_000 },
  { weight: 4, from: 1_001, to: 5_000 },
  { weight: 1, from: 5_001, to: 10_000 },
  { weight: 1, from: 10_001, to: 90_000 },
];

const legalForms: Readonly<Record<string, string>> = {
  US: 'Inc.',
  CA: 'Inc.',
  GB: 'Ltd',
  IE: 'Ltd',
  DE: 'GmbH',
  AT: 'GmbH',
  CH: 'AG',
  FR: 'SAS',
  ES: 'SL',
  IT: 'Srl',
  PT: 'Lda',
  NL: 'BV',
  SE: 'AB',
  DK: 'ApS',
  NO: 'AS',
  FI: 'Oy',
  IN: 'Pvt Ltd',
  SG: 'Pte Ltd',
  AU: 'Pty Ltd',
};

/** What people's records need to know of the company that they work for. */
export interface SyntheticEmployer {
  readonly name: string;
  readonly domain: string;
  readonly place: (typeof places)[number];
  readonly phrases: IndustryPhrases;
  readonly employeeCount: number;
}

/**
 * A company that does not exist, the same one for the same seed and index. Its domain ends in `.example`, which nobody
 * can own (RFC 2606), so no real company is ever meant.
 */
export function syntheticCompany(seed: number, index: number): CompanyRecord {
  const { random, ...employer } = begin(seed, index);
  const { name, domain, place, phrases, employeeCount } = employer;
  const annualRevenueUsd =
    Math.round((employeeCount * phrases.revenueEach * (0.5 + random.next())) / 10) * 10_000;
  const foundedYear = 2024 - Math.floor(random.next() ** 2 * 110);
  const keywords = random.some(phrases.keywords, 3 + random.below(3));
  return {
    domain,
    profileKey: `companies.example/company/${domain.slice(0, -'.example'.length)}`,
    profileUrl: `https://companies.example/company/${domain.slice(0, -'.example'.length)}`,
    name,
    website: `https://www.${domain}/`,
    description: describe(employer, random, foundedYear),
    keywords,
    categories: [phrases.industry, random.pick(phrases.keywords)],
    industryLabel: phrases.label,
    industry: phrases.industry,
    naics: phrases.naics,
    companyType: typeOf(phrases, employeeCount, random),
    employeeCount,
    companySize: bandOf(companySizeBands, employeeCount) ?? null,
    // Not every source knows what a company earns.
    annualRevenueUsd: random.happens(0.8) ? annualRevenueUsd : null,
    revenue: bandOf(revenueBands, annualRevenueUsd) ?? null,
    fundingUsd: random.happens(phrases.funded) ? Math.round(random.next() ** 3 * 800) * 100_000 : null,
    foundedYear,
    country: place.country,
    region: place.region,
    city: place.city,
    followerCount: Math.floor(employeeCount * (2 + random.next() * 40)),
  };
}

/** The same company, as far as the records of its people need it. */
export function syntheticEmployer(seed: number, index: number): SyntheticEmployer {
  const { random: _random, ...employer } = begin(seed, index);
  return employer;
}

function begin(seed: number, index: number): SyntheticEmployer & { readonly random: SeededRandom } {
  const random = seededRandom(seed, stream, index);
  const phrases = random.pickWeighted(industryPhrases);
  const place = random.pickWeighted(places);
  const size = random.pickWeighted(sizes);
  const employeeCount = size.from + Math.floor(random.next() ** 2 * (size.to - size.from + 1));
  const word = `${random.pick(first)}${random.pick(second)}`;
  const field = random.pick(phrases.names);
  const form = legalForms[place.country];
  const name = `${word} ${field}${form !== undefined && random.happens(0.4) ? ` ${form}` : ''}`;
  // The index keeps domains apart, the seed those of different seeds.
  const domain = `${word}-${field}-${(seed >>> 0).toString(36)}-${index.toString(36)}.example`.toLowerCase();
  return { random, name, domain, place, phrases, employeeCount };
}

function describe(employer: SyntheticEmployer, random: SeededRandom, foundedYear: number): string {
  const { name, phrases, place, employeeCount } = employer;
  const products = random.some(phrases.products, 2 + random.below(2));
  const customers = random.some(phrases.customers, 2);
  const [keyword = '', other = ''] = random.some(phrases.keywords, 2);
  const opening = random.pick([
    `${name} ${random.pick(phrases.does)} ${joined(products)} for ${joined(customers)}.`,
    `For ${joined(customers)}, ${name} ${random.pick(phrases.does)} ${joined(products)}.`,
    `${name} is a ${phrases.industry} company that ${random.pick(phrases.does)} ${joined(products)}. Its customers are ${joined(customers)}.`,
  ]);
  const strength = random.pick([
    `The company is known for its work in ${keyword} and ${other}.`,
    `Its teams are experienced in ${keyword}, and more and more in ${other}.`,
    `What sets it apart is ${keyword} that goes together with ${other}.`,
  ]);
  const ending = random.pick([
    `It was founded in ${foundedYear} in ${place.city} and has about ${employeeCount} employees.`,
    `Founded in ${foundedYear}, it is based in ${place.city}.`,
    `It has been at home in ${place.city} since ${foundedYear}.`,
  ]);
  return `${opening} ${strength} ${ending}`;
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function typeOf(phrases: IndustryPhrases, employeeCount: number, random: SeededRandom): CompanyType {
  if (phrases.industry === 'nonprofit') {
    return 'nonprofit';
  }
  if (phrases.industry === 'education' && random.happens(0.3)) {
    return 'educational';
  }
  if (employeeCount > 1_000) {
    return random.pick(['public', 'public', 'private', 'public_subsidiary']);
  }
  return employeeCount < 4 ? random.pick(['self_employed', 'partnership', 'private']) : 'private';
}
