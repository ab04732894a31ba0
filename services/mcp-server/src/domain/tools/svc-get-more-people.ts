import { limits, listPeopleOfSearch, toolEnvelope } from '@mailproof/shared-types';
import { z } from 'zod';
import { peoplePage, savingNote } from './found-people.ts';
import { readAnswer } from './read-answer.ts';
import { askInEither } from './sandbox.ts';
import { defineTool } from './tool.ts';

const pageData = z.object(peoplePage);

export const svcGetMorePeople = defineTool({
  name: 'svc_get_more_people',
  title: 'See more people of a search',
  description: `Returns the next page of a search that svc_search_people has made, up to ${limits.previewedPeopleMax} people in total. Free and read-only. ${savingNote}`,
  input: z.strictObject({
    search_id: listPeopleOfSearch.params.shape.search_id.describe('`search_id` of svc_search_people.'),
    cursor: z
      .string()
      .min(1)
      .max(limits.cursorCharactersMax)
      .describe('`next_cursor` of the previous page, unchanged.'),
  }),
  output: toolEnvelope(pageData),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  creditsMax: () => 0,
  scope: 'leads.search',
  async handle({ search_id, cursor }, ask) {
    const answer = await askInEither(ask, listPeopleOfSearch, { params: { search_id }, query: { cursor } });
    return { data: readAnswer(pageData, answer), creditsConsumed: 0, answer };
  },
});
