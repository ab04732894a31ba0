import { z } from 'zod';
import { savedPerson, savedPersonWithProvenance } from '../../discovery/person-record.ts';
import { departments, seniorities } from '../../discovery/vocabularies.ts';
import { discoveryRunId, personId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { oneLineText, pageOf } from './discovery-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const tag = 'Saved people';

const text = oneLineText(limits.filterValueCharactersMax);

/** By what saved people are filtered and sorted. */
export const savedPeopleQuery = {
  text: text.optional().describe('Part of the name, the job title, the headline or the company’s name.'),
  seniority: z.enum(seniorities).optional(),
  department: z.enum(departments).optional(),
  company: text.optional().describe('Part of the company’s name, or its domain.'),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a code of two letters')
    .transform(code => code.toUpperCase())
    .optional()
    .describe('ISO 3166-1, two letters.'),
  sort: z.enum(['saved_at', 'name', 'company']).default('saved_at').describe('`saved_at`: the newest first.'),
};

/** The people whom the account has saved. */
export const listSavedPeople = defineOperation({
  id: 'list-saved-people',
  method: 'get',
  path: '/app/v1/saved-people',
  summary: 'Saved people',
  tag,
  description: 'The people whom the account has saved, page by page. Records carry no email addresses.',
  access: memberOnly,
  params: noParams,
  query: z.strictObject({
    ...pageOf,
    ...savedPeopleQuery,
    list_id: savedListId.optional().describe('Of this list alone.'),
    run_id: discoveryRunId.optional().describe('Of this run alone.'),
  }),
  body: noBody,
  bodyBytesMax: 0,
  success: {
    status: 200,
    description: 'A page of people.',
    schema: z
      .object({ people: z.array(savedPerson), next_cursor: nextCursorField })
      .meta({ id: 'SavedPeople' }),
  },
  repeatable: true,
  problems: ['invalid_cursor', 'saved_list_not_found'],
});

/** One saved person. */
export const getSavedPerson = defineOperation({
  id: 'get-saved-person',
  method: 'get',
  path: '/app/v1/saved-people/:person_id',
  summary: 'A saved person',
  tag,
  description: 'All fields, each with where it comes from: source, licence, date.',
  access: memberOnly,
  params: z.strictObject({ person_id: personId }),
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The person.', schema: savedPersonWithProvenance },
  repeatable: true,
  problems: ['saved_person_not_found'],
});

/** Lets go of saved people. */
export const removeSavedPeople = defineOperation({
  id: 'remove-saved-people',
  method: 'post',
  path: '/app/v1/saved-people/removals',
  summary: 'Remove saved people',
  tag,
  description:
    'Removes people from what is saved and from every list of the account. Nothing is refunded, and saving them again costs again. People whom a run under way has saved stay until it has ended.',
  access: memberOnly,
  params: noParams,
  query: noQuery,
  body: z
    .strictObject({
      person_ids: z
        .array(personId)
        .min(1)
        .max(limits.savedIdsPerRequestMax)
        .describe('Those who are not saved are passed over.'),
    })
    .meta({ id: 'SavedPeopleRemoval' }),
  bodyBytesMax: 65_536,
  success: {
    status: 200,
    description: 'They are gone.',
    schema: z.object({
      removed: z.int().nonnegative().describe('People who are not saved any more.'),
      kept: z.int().nonnegative().describe('Saved by a run that is under way.'),
    }),
  },
  repeatable: true,
  problems: [],
});
