import { isDeepStrictEqual } from 'node:util';
import {
  beginPeopleSearch,
  limits,
  type PeopleFilters,
  peopleFilters,
  previewedPeopleSearch,
  prices,
  readValues,
  sandboxDomain,
  toolEnvelope,
} from '@mailproof/shared-types';
import { z } from 'zod';
import { peoplePage, savingNote } from './found-people.ts';
import { readAnswer } from './read-answer.ts';
import { isSearchForSandbox, isSearchMixed } from './sandbox.ts';
import { type AskAsAccount, defineTool, type RestAnswer } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

const searchData = z.object({
  search_id: z.string(),
  total: previewedPeopleSearch.shape.total,
  ...peoplePage,
  // Its own schema has an id, and tools have plain schemas, without references.
  read: z
    .array(readValues.element)
    .optional()
    .describe(readValues.description ?? ''),
  estimate: z
    .object({
      already_saved: z.int().nonnegative(),
      deliverable: z.int().nonnegative().describe('People that saving all matches would add.'),
      price: z.int().nonnegative().describe('Credits per saved person.'),
      credits_max: z.int().nonnegative().describe('Credits that saving all of them would cost.'),
    })
    .describe('What saving these people would cost. This tool saves no one.'),
  preview: z.object({
    credits: z.int().nonnegative().describe('Credits that this call cost.'),
    previews_left: z.int().nonnegative().describe('Free previews left in the billing cycle.'),
  }),
});

const answered = searchData.extend({ filters: peopleFilters, updated_at: z.string() });

export const svcSearchPeople = defineTool({
  name: 'svc_search_people',
  title: 'Search for people',
  description: `Finds people by job, company, place and more, and returns how many match, the first page of them, and what saving them would cost. Shows at most ${limits.previewedPeopleMax} people of a search (svc_get_more_people has the next page), and never an email address. Each search with new filters uses one free preview of the account’s billing cycle; when none is left, it costs ${prices.peoplePreview} credits, and only if \`max_credits\` allows it. The same filters and name again are not charged again, and pages are free. ${savingNote}`,
  input: z
    .strictObject({
      ...peopleFilters.shape,
      name: beginPeopleSearch.body.shape.name
        .default('From an assistant')
        .describe('A name for the search, which people see in Mailproof.'),
      max_credits: z
        .int()
        .min(0)
        .max(1_000)
        .default(0)
        .describe(
          `The most credits that the user has agreed to spend on this search: 0 for a free preview, ${prices.peoplePreview} when none is left.`,
        ),
    })
    .refine(filters => !isSearchMixed(filters), {
      path: ['company_domains'],
      error: `must not name companies of the sandbox (${sandboxDomain}) and others in one search`,
    }),
  output: toolEnvelope(searchData),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  creditsMax: ({ max_credits: creditsMax, ...filters }) =>
    creditsMax < prices.peoplePreview || isSearchForSandbox(filters) ? 0 : prices.peoplePreview,
  repeatOf: ({ max_credits: _creditsMax, ...search }) => search,
  scope: 'leads.search',
  async handle({ name, max_credits: creditsMax, ...filters }, ask) {
    const begin = (repeats?: string) => beginWithin(creditsMax, ask, { name, filters }, repeats);
    let answer = await begin();
    let found = readAnswer(answered, answer);
    if (!isDeepStrictEqual(found.filters, filters)) {
      // The same call has made this search before, and a person has given it other filters since.
      answer = await begin(found.updated_at);
      found = readAnswer(answered, answer);
    }
    const { filters: _filters, updated_at: _updatedAt, ...data } = found;
    return { data, creditsConsumed: data.preview.credits, answer };
  },
});

/**
 * Begins a search, or finds it again. Free of charge first, and then for the price of a preview if that is allowed: the
 * two requests are the same for each limit, so a repeated call with another limit is not charged again.
 */
async function beginWithin(
  creditsMax: number,
  ask: AskAsAccount,
  search: { readonly name: string; readonly filters: PeopleFilters },
  repeats = '',
): Promise<RestAnswer> {
  const inSandbox = isSearchForSandbox(search.filters);
  try {
    return await ask(beginPeopleSearch, { inSandbox, body: { ...search, credits_max: 0 }, repeats });
  } catch (error) {
    const isPaid = error instanceof ToolFailure && error.code === 'preview_costs_credits';
    if (!isPaid || creditsMax < prices.peoplePreview) {
      throw error;
    }
    const body = { ...search, credits_max: prices.peoplePreview };
    return ask(beginPeopleSearch, { inSandbox, body, repeats: `${repeats} paid` });
  }
}
