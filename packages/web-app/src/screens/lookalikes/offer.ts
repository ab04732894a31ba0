import type { View } from './question.ts';

export type Expected = NonNullable<View['expected']>;
export type Offer = Expected['offers'][number];

/** How many companies are to be fetched: one of the offers, or a number of one's own. */
export type Choice =
  | { readonly kind: 'offer'; readonly offer: Offer }
  | { readonly kind: 'exact'; readonly companies: number };

/** What a choice would cost at most, in credits. */
export function creditsMaxOf(choice: Choice, expected: Expected): number {
  if (choice.kind === 'offer') return choice.offer.credits_max;
  return Math.min(choice.companies * expected.credits_per_company, allOf(expected)?.credits_max ?? 0);
}

/** What a run is asked for. */
export function requestOf(choice: Choice): number | 'all' {
  if (choice.kind === 'exact') return choice.companies;
  return choice.offer.kind === 'all' ? 'all' : choice.offer.companies;
}

/** The offer of every match that there is. */
export function allOf({ offers }: Expected): Offer | undefined {
  return offers.find(({ kind }) => kind === 'all');
}

/** The most companies that so many credits pay for. */
export function affordable(credits: number, { credits_per_company }: Expected): number {
  return Math.floor(credits / credits_per_company);
}
