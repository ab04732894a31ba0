import countries from 'i18n-iso-countries';

/** What the library does not know, and sources write. */
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

const known = new Map<string, string | undefined>();

/** ISO 3166-1 alpha-2 of a country's code or name. */
export function readCountry(text: string): string | undefined {
  const key = text.trim().toLowerCase();
  // Files name few countries, many times.
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
