import { readCountry } from './country.ts';

export interface Location {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly region: string | null;
  readonly city: string | null;
}

/** States that sources write in place of a city, as in `California, United States`. */
const states = new Set(
  (
    'alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|' +
    'indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|' +
    'montana|nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|' +
    'pennsylvania|rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|' +
    'west virginia|wisconsin|wyoming|england|scotland|wales|northern ireland'
  ).split('|'),
);

/** Ends of `City, State` in the United States that are also countries: CA is not Canada in `Los Angeles, CA`. */
const alsoStates = new Set(
  'al ar az ca co de ga georgia id il in ky la ma md me mn mo ms mt nc ne pa sc sd tn va'.split(' '),
);

/**
 * Reads `Austin, Texas, United States`, `Berlin, Germany` or `Germany`: the country comes last. Undefined if it does not,
 * or might not, because then the other parts are ambiguous.
 */
export function readLocation(text: string): Location | undefined {
  const parts = text.split(',').flatMap(part => part.trim() || []);
  const end = parts.at(-1) ?? '';
  const country = readCountry(end);
  const isAmbiguous = parts.length === 2 && alsoStates.has(end.toLowerCase());
  if (country === undefined || isAmbiguous || parts.length > 5) {
    return undefined;
  }
  const [first = null, ...between] = parts.slice(0, -1);
  const region = between.at(-1) ?? null;
  return region === null && first !== null && states.has(first.toLowerCase())
    ? { country, region: first, city: null }
    : { country, region, city: first };
}
