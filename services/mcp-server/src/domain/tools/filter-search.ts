import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  beginPeopleSearch,
  discoverySearchId,
  limits,
  type Operation,
  previewedPeopleSearch,
  prices,
  readValues,
  sandboxDomain,
  type ToolName,
  toolEnvelope,
} from '@mailproof/shared-types';
import { z } from 'zod';
import { readAnswer } from './read-answer.ts';
import { askInEither, type CompanyDomains, isSearchForSandbox, isSearchMixed } from './sandbox.ts';
import { type AskAsAccount, defineTool, type RestAnswer, type Tool } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

/** A tool that searches by filters. */
interface FilterSearch<Filters extends z.ZodRawShape, Page extends z.ZodRawShape> {
  readonly name: ToolName;
  readonly title: string;
  /** What the tool finds and returns. */
  readonly finds: string;
  /** The tool that returns the next page. */
  readonly more: ToolName;
  readonly begins: Operation;
  readonly filters: z.ZodObject<Filters>;
  /** The records on a page. */
  readonly page: Page;
  /** How saving them is left to the user. */
  readonly saving: string;
}

/** A call with the filters of either search. */
interface Asked extends CompanyDomains {
  readonly name: string;
  readonly max_credits: number;
}

/** The name of a search that an assistant has made. */
export const searchName = beginPeopleSearch.body.shape.name
  .default('From an assistant')
  .describe('A name for the search, which people see in Mailproof.');

/** The cursor of the next page, which the given tool takes. */
export function nextCursorOf(more: ToolName) {
  return z.string().optional().describe(`Send it to ${more} to get the next page; absent on the last page.`);
}

/** Defines a tool that begins a search, or finds it again, and returns its first page. */
export function defineFilterSearch<Filters extends z.ZodRawShape, Page extends z.ZodRawShape>({
  name: toolName,
  title,
  finds,
  more,
  begins,
  filters: filterSchema,
  page,
  saving,
}: FilterSearch<Filters, Page>): Tool {
  const records = z.object(page);
  const search = z.object({
    search_id: z.string(),
    total: previewedPeopleSearch.shape.total,
    // Its own schema has an id, and tools have plain schemas, without references.
    read: z
      .array(readValues.element)
      .optional()
      .describe(readValues.description ?? ''),
    estimate: z
      .object({
        already_saved: z.int().nonnegative(),
        deliverable: z.int().nonnegative().describe('Records that saving all matches would add.'),
        price: z.int().nonnegative().describe('Credits per saved record.'),
        credits_max: z.int().nonnegative().describe('Credits that saving all of them would cost.'),
      })
      .describe('What saving all matches would cost. This tool saves none.'),
    preview: z.object({
      credits: z.int().nonnegative().describe('Credits that this call cost.'),
      previews_left: z.int().nonnegative().describe('Free previews left in the billing cycle.'),
    }),
  });
  const answered = z.looseObject({ filters: filterSchema, updated_at: z.string() });
  const input = z.strictObject({
    ...filterSchema.shape,
    name: searchName,
    max_credits: z
      .int()
      .min(0)
      .max(1_000)
      .default(0)
      .describe(
        `The most credits that the user has agreed to spend on this search: 0 for a free preview, ${prices.peoplePreview} when none is left.`,
      ),
  }) as unknown as z.ZodType<Asked>;
  return defineTool({
    name: toolName,
    title,
    description: `${finds} Shows at most ${limits.previewedPeopleMax} results of a search (${more} has the next page), and never an email address. Each search with new filters uses one free preview of the account’s billing cycle; when none is left, it costs ${prices.peoplePreview} credits, and only if \`max_credits\` allows it. The same filters and name again are not charged again, and pages are free. ${saving}`,
    input: input.refine(filters => !isSearchMixed(filters), {
      path: ['company_domains'],
      error: `must not name companies of the sandbox (${sandboxDomain}) and others in one search`,
    }),
    output: toolEnvelope(search.extend(page)),
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
      const answer = await beginUnchanged(
        repeats => beginWithin(creditsMax, ask, begins, { name, filters }, repeats),
        found => {
          const { filters: searched, updated_at: updatedAt } = readAnswer(answered, found);
          return isDeepStrictEqual(searched, filters) ? undefined : updatedAt;
        },
      );
      const found = readAnswer(search, answer);
      const data = { ...found, ...(readAnswer(records, answer) as object) };
      return { data, creditsConsumed: found.preview.credits, answer };
    },
  });
}

const changedSearchesMax = 3;

/**
 * Begins a search, or finds the one that the same call has made before. If a person has changed that since, another one
 * is made, which the next such call finds.
 *
 * @param changedAt returns when the search of an answer was changed, and undefined if it was not
 */
export async function beginUnchanged(
  begin: (repeats: string) => Promise<RestAnswer>,
  changedAt: (answer: RestAnswer) => string | undefined,
): Promise<RestAnswer> {
  let answer = await begin('');
  for (let changed = 1; ; changed += 1) {
    const at = changedAt(answer);
    if (at === undefined) {
      return answer;
    }
    answer = await begin(changed < changedSearchesMax ? at : randomUUID());
  }
}

/**
 * Begins a search, or finds it again. Free of charge first, and then for the price of a preview if that is allowed: the
 * two requests are the same for each limit, so a repeated call with another limit is not charged again.
 */
async function beginWithin(
  creditsMax: number,
  ask: AskAsAccount,
  begins: Operation,
  search: { readonly name: string; readonly filters: CompanyDomains },
  repeats: string,
): Promise<RestAnswer> {
  const inSandbox = isSearchForSandbox(search.filters);
  try {
    return await ask(begins, { inSandbox, body: { ...search, credits_max: 0 }, repeats });
  } catch (error) {
    const isPaid = error instanceof ToolFailure && error.code === 'preview_costs_credits';
    if (!isPaid || creditsMax < prices.peoplePreview) {
      throw error;
    }
    const body = { ...search, credits_max: prices.peoplePreview };
    return ask(begins, { inSandbox, body, repeats: `${repeats} paid` });
  }
}

/** Defines a tool that returns the next page of a search. */
export function defineNextPage<Page extends z.ZodRawShape>({
  name,
  title,
  search,
  lists,
  page,
  saving,
}: {
  readonly name: ToolName;
  readonly title: string;
  /** The tool that has made the search. */
  readonly search: ToolName;
  readonly lists: Operation;
  readonly page: Page;
  readonly saving: string;
}): Tool {
  const data = z.object(page);
  return defineTool({
    name,
    title,
    description: `Returns the next page of a search that ${search} has made, up to ${limits.previewedPeopleMax} results in total. Free and read-only. ${saving}`,
    input: z.strictObject({
      search_id: discoverySearchId.describe(`\`search_id\` of ${search}.`),
      cursor: z
        .string()
        .min(1)
        .max(limits.cursorCharactersMax)
        .describe('`next_cursor` of the previous page, unchanged.'),
    }),
    output: toolEnvelope(data),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    creditsMax: () => 0,
    scope: 'leads.search',
    async handle({ search_id, cursor }, ask) {
      const answer = await askInEither(ask, lists, { params: { search_id }, query: { cursor } });
      return { data: readAnswer(data, answer) as Record<string, unknown>, creditsConsumed: 0, answer };
    },
  });
}
