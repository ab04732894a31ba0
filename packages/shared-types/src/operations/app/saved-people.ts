import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { savedPerson, savedPersonWithProvenance } from '../../discovery/person-record.ts';
import { departments, savedSorts, seniorities } from '../../discovery/vocabularies.ts';
import { discoveryRunId, exampleId, peopleImportId, personId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { eitherOf, matchingNote, moreField, oneLineText, pageOf, totalField } from './discovery-parts.ts';
import { memberOrKey, nextCursorField } from './view-parts.ts';

const parts = {
  tag: 'Saved people',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
} as const;

const text = oneLineText(limits.filterValueCharactersMax);

const savedPeopleFilters = {
  text: text.optional().describe('Part of the name, job title, headline or company name.'),
  seniority: z.enum(seniorities).optional(),
  department: z.enum(departments).optional(),
  company: text.optional().describe('Part of the company name or its domain.'),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'must be a two-letter code')
    .transform(code => code.toUpperCase())
    .optional()
    .describe('Country code (ISO 3166-1 alpha-2).'),
};

/** The filters and sort orders for saved people. */
export const savedPeopleQuery = {
  ...savedPeopleFilters,
  sort: z
    .enum(savedSorts)
    .default('saved_at')
    .describe(
      '`saved_at`: newest first. `updated_at`: records that changed last first. `company_size`: largest first. Otherwise alphabetical. Unknown values come last.',
    ),
};

const importFilter = peopleImportId.optional().describe('Only people whom this import last changed.');

/** Selects saved people by filters. */
export const savedPeopleMatching = z
  .strictObject({
    ...savedPeopleFilters,
    list_id: savedListId.optional().describe('Only people in this list.'),
    run_id: discoveryRunId.optional().describe('Only people from this run.'),
    import_id: importFilter,
  })
  .meta({ id: 'SavedPeopleMatching' });

/** Selects saved people or companies by filters, depending on the kind of list. */
export const savedMatching = z
  .strictObject({
    ...savedPeopleFilters,
    text: text
      .optional()
      .describe(
        'Part of the name, job title, headline or company name of a person; part of the name, domain or description of a company.',
      ),
    seniority: savedPeopleFilters.seniority.describe('People only.'),
    department: savedPeopleFilters.department.describe('People only.'),
    list_id: savedListId.optional().describe('Only records in this list, which is of the same kind.'),
    run_id: discoveryRunId.optional().describe('Only records from this run.'),
    import_id: importFilter,
  })
  .meta({ id: 'SavedMatching' });

/** Lists the account's saved people. */
export const listSavedPeople = defineOperation({
  ...parts,
  id: 'list-saved-people',
  method: 'get',
  path: '/app/v1/saved-people',
  summary: 'List saved people',
  description:
    'The people that the account has saved or imported, page by page. Records contain no email addresses.',
  query: z.strictObject({
    ...pageOf,
    ...savedPeopleQuery,
    list_id: savedListId.optional().describe('Only people in this list.'),
    run_id: discoveryRunId.optional().describe('Only people from this run.'),
    import_id: importFilter,
  }),
  success: {
    status: 200,
    description: 'A page of people.',
    schema: z
      .object({ people: z.array(savedPerson), total: totalField, next_cursor: nextCursorField })
      .meta({ id: 'SavedPeople' }),
  },
  repeatable: true,
  problems: ['invalid_cursor', 'saved_list_not_found'],
});

/** Gets a saved person. */
export const getSavedPerson = defineOperation({
  ...parts,
  id: 'get-saved-person',
  method: 'get',
  path: '/app/v1/saved-people/:person_id',
  summary: 'Get a saved person',
  description: 'All fields, each with its source, license and date.',
  params: z.strictObject({ person_id: personId }),
  success: { status: 200, description: 'The person.', schema: savedPersonWithProvenance },
  repeatable: true,
  problems: ['saved_person_not_found'],
});

/** Removes saved people. */
export const removeSavedPeople = defineOperation({
  ...parts,
  id: 'remove-saved-people',
  method: 'post',
  path: '/app/v1/saved-people/removals',
  summary: 'Remove saved people',
  description: `Removes people from the saved people and from every list of the account. Nothing is refunded, and saving them again costs credits again. Imported people are deleted. People saved by a run in progress stay until it has ended. ${matchingNote}`,
  body: z
    .strictObject({
      person_ids: z
        .array(personId)
        .min(1)
        .max(limits.savedIdsPerRequestMax)
        .optional()
        .describe('Ids that are not saved are skipped. Required unless `matching` is given.'),
      matching: savedPeopleMatching.optional().describe('Removes the people who match, instead of ids.'),
    })
    .refine(...eitherOf('person_ids', 'matching'))
    .meta({ id: 'SavedPeopleRemoval' }),
  bodyExample: { person_ids: [exampleId('person')] },
  bodyBytesMax: 65_536,
  success: {
    status: 200,
    description: 'The people are removed.',
    schema: z.object({
      removed: z.int().nonnegative().describe('Number of people removed.'),
      kept: z.int().nonnegative().describe('Number of people kept because a run in progress saved them.'),
      more: moreField,
    }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});
