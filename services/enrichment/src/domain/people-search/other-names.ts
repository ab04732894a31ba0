import { createRequire } from 'node:module';
import type { PeopleFilters } from '@mailproof/shared-types';
import { readCountry } from '../reading/country.ts';
import { excludedOf, type KnownValues } from './check-filters.ts';
import { keyOfText } from './columns/column.ts';
import type { ReadValue } from './people-index.ts';

/** A region, by its names in its own language and in English. */
interface Region {
  readonly country: string;
  readonly names: readonly string[];
}

/** The filters whose values have other names. */
export const namedFilters = ['countries', 'regions'] as const;
export type NamedFilter = (typeof namedFilters)[number];

/** Countries whose regions are often written as codes, the most likely one first: `WA` is Washington, then Australia’s. */
const countriesWithCodes = ['US', 'CA', 'AU', 'BR', 'IN', 'DE', 'MX'];

interface Regions {
  /** Regions by the key of each name. */
  readonly byName: ReadonlyMap<string, readonly Region[]>;
  /** Regions by their code, in the countries that use codes. */
  readonly byCode: ReadonlyMap<string, readonly Region[]>;
}

let loaded: Regions | undefined;

/** Returns the regions of ISO 3166-2. They take 10 MB, so they are loaded with the first region that is unknown. */
function regions(): Regions {
  loaded ??= loadRegions();
  return loaded;
}

function loadRegions(): Regions {
  const require = createRequire(import.meta.url);
  const iso: typeof import('iso-3166-2') = require('iso-3166-2');
  const english: EnglishNames = require('cldr-subdivisions-full/subdivisions/en/en.json');
  const englishNames = english.subdivisions.localeDisplayNames.subdivisions;
  const byName = new Map<string, Region[]>();
  const byCode = new Map<string, Region[]>();
  for (const [country, { sub }] of Object.entries(iso.data)) {
    for (const [code, { name }] of Object.entries(sub)) {
      const inEnglish = englishNames[code.replace('-', '').toLowerCase()];
      const region = { country, names: inEnglish === undefined ? [name] : [name, inEnglish] };
      for (const key of new Set(region.names.map(keyOfText))) {
        byName.set(key, [...(byName.get(key) ?? []), region]);
      }
      if (countriesWithCodes.includes(country)) {
        const short = code.slice(country.length + 1);
        byCode.set(short, [...(byCode.get(short) ?? []), region]);
      }
    }
  }
  return { byName, byCode };
}

/** The CLDR's file of English names, by code in lower case and without a hyphen. */
interface EnglishNames {
  readonly subdivisions: {
    readonly localeDisplayNames: { readonly subdivisions: Readonly<Record<string, string>> };
  };
}

/**
 * Returns the other names of a country or region, in groups, the likeliest first: `UK` is `GB`, `Bayern` is `Bavaria`,
 * and `WA` is `Washington`. With `countries`, only regions of these.
 */
export function otherNames(
  filter: NamedFilter,
  value: string,
  countries: readonly string[] | undefined,
): readonly (readonly string[])[] {
  if (filter === 'countries') {
    const code = readCountry(value);
    return code === undefined ? [] : [[code]];
  }
  const byName = regions().byName.get(keyOfText(value)) ?? [];
  const byCode = (regions().byCode.get(value.toUpperCase()) ?? []).toSorted(
    (one, other) => countriesWithCodes.indexOf(one.country) - countriesWithCodes.indexOf(other.country),
  );
  const codes = countries?.map(country => readCountry(country) ?? country);
  const isAmong = ({ country }: Region) => codes === undefined || codes.includes(country);
  const named = byName.filter(isAmong).flatMap(({ names }) => names);
  return [...(named.length > 0 ? [named] : []), ...byCode.filter(isAmong).map(({ names }) => names)];
}

/**
 * Replaces values that the store does not have with their other names that it has. A value of the store always means
 * itself. Values that stay unknown are left as they are.
 */
export function readOtherNames(
  filters: PeopleFilters,
  known: Readonly<Record<NamedFilter, Pick<KnownValues, 'has'>>>,
): { readonly filters: PeopleFilters; readonly read: readonly ReadValue[] } {
  const read: ReadValue[] = [];
  const replaced: { -readonly [Name in keyof PeopleFilters]: PeopleFilters[Name] } = { ...filters };
  for (const filter of namedFilters) {
    for (const name of [filter, excludedOf(filter)] as const) {
      replaced[name] = filters[name]?.flatMap((value, index) => {
        if (known[filter].has(value)) {
          return [value];
        }
        const readAs = otherNames(filter, value, filters.countries)
          .map(names => [...new Set(names)].filter(each => known[filter].has(each)))
          .find(names => names.length > 0);
        if (readAs === undefined) {
          return [value];
        }
        read.push({ pointer: `/${name}/${index}`, value, readAs });
        return readAs;
      });
    }
  }
  return read.length === 0 ? { filters, read } : { filters: replaced, read };
}
