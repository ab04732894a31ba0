import { z } from 'zod';
import { oneLine, oneLineFault } from '../../discovery/filter-parts.ts';
import { limits } from '../../limits.ts';
import { prices } from '../../prices.ts';
import { withCommas } from '../../with-commas.ts';
import { queryNumber } from '../internal/ledger/parts.ts';
import { credits } from '../public-parts.ts';

/** The name of a search or a list. */
export const discoveryName = z
  .string()
  .trim()
  .min(1)
  .max(limits.discoveryNameCharactersMax)
  .regex(oneLine, oneLineFault);

/** One line of text, such as a tag or a filter; surrounding white space is trimmed. */
export function oneLineText(charactersMax: number) {
  return z.string().trim().min(1).max(charactersMax).regex(oneLine, oneLineFault);
}

/** The query parameters that select a page of a list. */
export const pageOf = {
  cursor: z
    .string()
    .min(1)
    .max(limits.cursorCharactersMax)
    .optional()
    .describe('`next_cursor` of the previous page.'),
  limit: queryNumber(1, limits.pageRowsMax)
    .default(limits.pageRowsDefault)
    .describe('Number of rows per page.'),
};

export const idempotencyNote =
  'Send an `Idempotency-Key`: repeating the same request with the same key returns the same response, and nothing is charged twice.';

/** The limit of requests that select people by filters. */
export const matchingNote = `With \`matching\`, the request covers up to ${withCommas(limits.savedMatchingMax)} records; if \`more\` is true, repeat it.`;

export const moreField = z
  .boolean()
  .describe('Whether more records match: repeat the request. Always false for ids.');

/** A refinement by which exactly one of the fields is given. */
export function eitherOf(
  ...names: readonly [string, string, ...string[]]
): [(body: object) => boolean, { path: string[]; error: string }] {
  const named = names.map(name => `\`${name}\``);
  return [
    body => names.filter(name => name in body).length === 1,
    { path: [names[0]], error: `Give either ${named.slice(0, -1).join(', ')} or ${named.at(-1)}.` },
  ];
}

/** The number of records that match, which pages after the first one omit. */
export const totalField = z
  .int()
  .nonnegative()
  .optional()
  .describe('Number of records that match, on the first page only.');

/** Largest body of a request with the filters of a search, in octets. */
export const filtersBytesMax = 262_144;

/** The limit of what a preview of people or companies may cost. */
export const creditsMax = credits
  .max(1_000)
  .default(0)
  .describe(
    `Most credits that this preview may cost once the free previews of the billing cycle are used up; a preview then costs ${prices.peoplePreview}.`,
  );

/** Problems that making a preview can return. */
export const previewProblems = [
  'unknown_filter_value',
  'search_not_ready',
  'preview_costs_credits',
  'credits_exhausted',
  'id_reused',
] as const;

/** What a preview cost. */
export const previewCharge = z.object({
  kind: z
    .enum(['allowance', 'credits', 'repeated', 'free'])
    .describe(
      '`allowance`: a free preview of the billing cycle. `credits`: paid. `repeated`: a search of the account was already previewed with these filters. `free`: no matches, so nothing was shown.',
    ),
  credits,
  previews_left: z.int().nonnegative().describe('Free previews left in the billing cycle.'),
});
