import type { View } from './question.ts';

export type Expected = NonNullable<View['expected']>;
export type Offer = Expected['offers'][number];

/** How many companies to fetch: one of the offers, or a number that the user types. */
export type Choice =
  | { readonly kind: 'offer'; readonly offer: Offer }
  | { readonly kind: 'exact'; readonly companies: number };

/** Returns the maximum cost of a choice, in credits. */
export function creditsMaxOf(choice: Choice, expected: Expected): number {
  if (choice.kind === 'offer') return choice.offer.credits_max;
  return Math.min(choice.companies * expected.credits_per_company, allOf(expected)?.credits_max ?? 0);
}

/** Returns the number of companies to request. */
export function requestOf(choice: Choice): number | 'all' {
  if (choice.kind === 'exact') return choice.companies;
  return choice.offer.kind === 'all' ? 'all' : choice.offer.companies;
}

/** Returns the offer of all matches. */
export function allOf({ offers }: Expected): Offer | undefined {
  return offers.find(({ kind }) => kind === 'all');
}

/** Returns the most companies that the credits can pay for. */
export function affordable(credits: number, { credits_per_company }: Expected): number {
  return Math.floor(credits / credits_per_company);
}

/** Converts a match strength to a number out of 100. */
export function outOfHundred(strength: number): number {
  return Math.round(strength * 100);
}

/** Describes a match strength in words; the thresholds are those by which matches are counted. */
export function strengthWords(strength: number): string {
  if (strength >= 0.8) return 'Very close';
  if (strength >= 0.6) return 'Close';
  if (strength >= 0.4) return 'Fair';
  if (strength >= 0.2) return 'Loose';
  return 'Faint';
}

interface AtLeast {
  readonly match_strength_from: number;
  readonly companies: number;
}

/** Converts cumulative counts ("at least this strong") to counts per band, the strongest first. */
export function bandsOf(counts: readonly AtLeast[]): { from: number; to: number; companies: number }[] {
  const falling = [...counts].sort((one, other) => other.match_strength_from - one.match_strength_from);
  return falling.map(({ match_strength_from, companies }, index) => ({
    from: match_strength_from,
    to: falling[index - 1]?.match_strength_from ?? 1,
    companies: companies - (falling[index - 1]?.companies ?? 0),
  }));
}
