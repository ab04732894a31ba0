// Import without the package's 80 languages, which it would otherwise load at start.
import countries from 'i18n-iso-countries/index.js';
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' };
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };

/** Names that sources use but the library does not know. */
const otherNames: Readonly<Record<string, string>> = {
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'viet nam': 'VN',
  'republic of korea': 'KR',
  korea: 'KR',
  czechia: 'CZ',
  'united states of america (usa)': 'US',
  'hong kong sar': 'HK',
  macedonia: 'MK',
  uae: 'AE',
};

const languages = ['en', 'de', 'fr', 'es'] as const;
for (const locale of [en, de, fr, es]) countries.registerLocale(locale);

/** Codes by name. The package compares a text with each of its names, which takes a millisecond. */
const codes = new Map([
  ...Object.entries(otherNames),
  ...languages
    .flatMap(language => Object.entries(countries.getNames(language, { select: 'all' })))
    .flatMap(([code, names]) => names.map(name => [plainName(name), code] as const))
    // The first language has precedence.
    .reverse(),
]);

/** Returns the ISO 3166-1 alpha-2 code for a country's code or name. */
export function readCountry(text: string): string | undefined {
  const key = text.trim().toLowerCase();
  const code = key.toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && countries.isValid(code)) {
    return code;
  }
  const short = /^[A-Z]{3}$/.test(code) ? countries.alpha3ToAlpha2(code) : undefined;
  return short ?? codes.get(plainName(key));
}

function plainName(name: string): string {
  return name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss');
}
