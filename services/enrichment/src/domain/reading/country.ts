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

const known = new Map<string, string | undefined>();

/** Returns the ISO 3166-1 alpha-2 code for a country's code or name. */
export function readCountry(text: string): string | undefined {
  const key = text.trim().toLowerCase();
  // Files repeat a few countries many times.
  if (!known.has(key) && known.size < 10_000) {
    known.set(key, find(key));
  }
  return known.get(key) ?? find(key);
}

function find(key: string): string | undefined {
  const code = key.toUpperCase();
  if (/^[A-Z]{2}$/.test(code) && countries.isValid(code)) {
    return code;
  }
  if (/^[A-Z]{3}$/.test(code)) {
    const short = countries.alpha3ToAlpha2(code);
    if (short !== undefined) {
      return short;
    }
  }
  const named = languages.map(language => countries.getSimpleAlpha2Code(key, language)).find(found => found);
  return named ?? otherNames[key];
}
