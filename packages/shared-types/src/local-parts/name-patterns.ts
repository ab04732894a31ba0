/** How a local part is made of a person's name. `f`, `l` and `m` are the initials of first, last and middle name. */
export const namePatterns = [
  'first.last',
  'first_last',
  'first-last',
  'firstlast',
  'f.last',
  'f_last',
  'f-last',
  'flast',
  'first.l',
  'first_l',
  'first-l',
  'firstl',
  'last.first',
  'last_first',
  'last-first',
  'lastfirst',
  'last.f',
  'last_f',
  'last-f',
  'lastf',
  'first.m.last',
  'f.m.last',
  'fmlast',
  'first',
  'last',
] as const;

export type NamePattern = (typeof namePatterns)[number];

/**
 * The share of people whose address has each pattern, before anything is known about their domain. The figures combine
 * two publications: a count of the addresses of 59 mail administrators (ankurandgenny.com, "E-mail SMTP questions":
 * `flast` 27, `first.last` 16, `first` 6, with a middle initial 5, `lastf` 2, `firstl` 2) and an estimate for business
 * addresses (mailsfinder.com, 2026: `first.last` 60 %; `first`, `flast` and `first.l` together 25 %). Neither is a
 * sample of all companies, and they disagree about `flast`. So the shares decide only between patterns of one shape,
 * and never confirm a pattern that no address of the domain shows.
 */
export const namePatternShares: Readonly<Record<NamePattern, number>> = {
  'first.last': 0.4,
  first_last: 0.02,
  'first-last': 0.01,
  firstlast: 0.04,
  'f.last': 0.06,
  f_last: 0.003,
  'f-last': 0.003,
  flast: 0.24,
  'first.l': 0.02,
  first_l: 0.002,
  'first-l': 0.002,
  firstl: 0.03,
  'last.first': 0.012,
  last_first: 0.002,
  'last-first': 0.001,
  lastfirst: 0.003,
  'last.f': 0.006,
  last_f: 0.001,
  'last-f': 0.001,
  lastf: 0.02,
  'first.m.last': 0.02,
  'f.m.last': 0.004,
  fmlast: 0.01,
  first: 0.08,
  last: 0.013,
};

/** The parts of a name in one spelling, with nothing but letters and the marks between their words. */
export interface SpelledName {
  readonly first: string;
  readonly last: string;
  /** The initials of first and last name; both of a double name. */
  readonly f: string;
  readonly l: string;
  /** The initial of the middle name; empty if there is none. */
  readonly m: string;
}

/**
 * Makes the local part of a name; undefined if the name lacks a part of the pattern. A single letter is an initial, and
 * not a name: `a.berg` of A. Berg is made by `f.last`, and says nothing about `first.last`.
 */
export function makeLocalPart(pattern: NamePattern, name: SpelledName): string | undefined {
  const parts = partsOf[pattern];
  const made = parts.map(part => (part in name ? name[part as keyof SpelledName] : part));
  const isWhole = made.every(
    (text, at) => text.length > (parts[at] === 'first' || parts[at] === 'last' ? 1 : 0),
  );
  // A dot in the local part of `first` is nearly always the mark between first and last name: `jose.garcia` of
  // José García López.
  const isFirstWithDot = pattern === 'first' && name.first.includes('.');
  return isWhole && !isFirstWithDot ? made.join('') : undefined;
}

/** The parts of each pattern, in their order; the others are the marks between them. */
const partsOf = Object.fromEntries(
  namePatterns.map(pattern => [pattern, [...pattern.matchAll(/first|last|[flm._-]/g)].map(([part]) => part)]),
) as Record<NamePattern, string[]>;
