import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { savedCompany } from '../../discovery/company-record.ts';
import { companyDomain } from '../../discovery/filter-parts.ts';
import { savedPerson } from '../../discovery/person-record.ts';
import { companyId, creatorId, exampleId, personId, savedListId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { withCommas } from '../../with-commas.ts';
import {
  discoveryName,
  eitherOf,
  matchingNote,
  moreField,
  oneLineText,
  pageOf,
  totalField,
} from './discovery-parts.ts';
import { savedMatching, savedPeopleQuery } from './saved-people.ts';
import { doneAnswer } from './user-parts.ts';
import { memberOrKey, moment, nextCursorField } from './view-parts.ts';

export const listKinds = ['people', 'companies'] as const;

export type ListKind = (typeof listKinds)[number];

const tags = z
  .array(oneLineText(limits.listTagCharactersMax))
  .max(limits.listTagsMax)
  .refine(words => new Set(words).size === words.length, 'must not repeat a tag');

/** A list of saved people or companies. */
export const savedList = z
  .object({
    list_id: savedListId,
    kind: z.enum(listKinds).describe('What the list contains; it cannot be changed.'),
    name: z.string(),
    tags: z.array(z.string()).describe('Tags to find lists by.'),
    entries: z.int().nonnegative().describe('Number of records in the list.'),
    domains: z
      .int()
      .nonnegative()
      .describe('Number of company domains in a list of companies, in addition to its records.'),
    created_by: creatorId,
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'SavedList' });

export type SavedList = z.output<typeof savedList>;

const listParams = z.strictObject({ list_id: savedListId });
const answersList = { status: 200, description: 'The list.', schema: savedList } as const;

const parts = {
  tag: 'Lists',
  answeredBy: 'enrichment',
  access: memberOrKey('leads'),
  sandbox: true,
} as const;

/** Creates a list. */
export const createSavedList = defineOperation({
  ...parts,
  id: 'create-saved-list',
  method: 'post',
  path: '/app/v1/saved-lists',
  summary: 'Create a list',
  description: 'A name can be used once for people lists and once for company lists.',
  body: z
    .strictObject({ kind: z.enum(listKinds), name: discoveryName, tags: tags.default([]) })
    .meta({ id: 'NewSavedList' }),
  success: { status: 201, description: 'The list.', schema: savedList },
  repeatable: false,
  problems: ['list_name_taken', 'too_many_lists'],
});

/** Lists the account's lists. */
export const listSavedLists = defineOperation({
  ...parts,
  id: 'list-saved-lists',
  method: 'get',
  path: '/app/v1/saved-lists',
  summary: 'Lists',
  description: 'The account’s lists, page by page.',
  query: z.strictObject({
    ...pageOf,
    kind: z.enum(listKinds).optional(),
    tag: oneLineText(limits.listTagCharactersMax).optional().describe('Only lists with this tag.'),
    text: oneLineText(limits.discoveryNameCharactersMax).optional().describe('Part of the name.'),
    sort: z.enum(['name', 'created_at']).default('name').describe('`created_at`: newest first.'),
  }),
  success: {
    status: 200,
    description: 'A page of lists.',
    schema: z.object({ lists: z.array(savedList), next_cursor: nextCursorField }).meta({ id: 'SavedLists' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Gets a list. */
export const getSavedList = defineOperation({
  ...parts,
  id: 'get-saved-list',
  method: 'get',
  path: '/app/v1/saved-lists/:list_id',
  summary: 'Get a list',
  description: 'The list with its number of records, such as after you have added some.',
  params: listParams,
  success: answersList,
  repeatable: true,
  problems: ['saved_list_not_found'],
});

/** Renames or tags a list. */
export const changeSavedList = defineOperation({
  ...parts,
  id: 'change-saved-list',
  method: 'put',
  path: '/app/v1/saved-lists/:list_id',
  summary: 'Rename or tag a list',
  description: 'Omitted fields are unchanged; tags are replaced as a whole.',
  params: listParams,
  body: z
    .strictObject({ name: discoveryName.optional(), tags: tags.optional() })
    .meta({ id: 'SavedListChange' }),
  success: answersList,
  repeatable: true,
  problems: ['saved_list_not_found', 'list_name_taken'],
});

/** Deletes a list; its records stay saved. */
export const deleteSavedList = defineOperation({
  ...parts,
  id: 'delete-saved-list',
  method: 'delete',
  path: '/app/v1/saved-lists/:list_id',
  summary: 'Delete a list',
  description: 'The records in it stay saved.',
  params: listParams,
  success: { status: 200, description: 'The list is deleted.', schema: doneAnswer },
  repeatable: false,
  problems: ['saved_list_not_found'],
});

const entryIds = z
  .array(z.union([personId, companyId]))
  .min(1)
  .max(limits.savedIdsPerRequestMax);

const domains = z.array(companyDomain).min(1).max(limits.listDomainsPerRequestMax);

/** Fits the most domains, unless they are unusually long. */
const domainsBytesMax = 524_288;

/** Adds saved records or company domains to a list. */
export const addListEntries = defineOperation({
  ...parts,
  id: 'add-list-entries',
  method: 'post',
  path: '/app/v1/saved-lists/:list_id/entries',
  summary: 'Add to a list',
  description: `Adds people that the account has saved, or companies that it has paid for, depending on the kind of list. Records already in the list or not owned by the account are skipped. A list of companies also takes up to ${withCommas(limits.listDomainsMax)} domains of any companies, such as those of your customers, for use as a filter. ${matchingNote}`,
  params: listParams,
  body: z
    .strictObject({
      ids: entryIds
        .optional()
        .describe('Ids of people or of companies. Required unless `matching` or `domains` is given.'),
      matching: savedMatching.optional().describe('Adds the saved records that match, instead of ids.'),
      domains: domains.optional().describe('Adds company domains; only for a list of companies.'),
    })
    .refine(...eitherOf('ids', 'matching', 'domains'))
    .meta({ id: 'ListAddition' }),
  bodyExample: { ids: [exampleId('person')] },
  bodyBytesMax: domainsBytesMax,
  success: {
    status: 200,
    description: 'The records are in the list.',
    schema: z.object({
      added: z.int().nonnegative().describe('Records or domains that were added.'),
      more: moreField,
    }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});

/** Removes records from a list. */
export const removeListEntries = defineOperation({
  ...parts,
  id: 'remove-list-entries',
  method: 'post',
  path: '/app/v1/saved-lists/:list_id/entries/removals',
  summary: 'Remove from a list',
  description: `The records stay saved. ${matchingNote}`,
  params: listParams,
  body: z
    .strictObject({
      ids: entryIds
        .optional()
        .describe('Ids of people or of companies. Required unless `matching` or `domains` is given.'),
      matching: savedMatching
        .omit({ list_id: true })
        .optional()
        .describe('Removes the records of the list that match, instead of ids.'),
      domains: domains.optional().describe('Removes company domains; only for a list of companies.'),
    })
    .refine(...eitherOf('ids', 'matching', 'domains'))
    .meta({ id: 'ListRemoval' }),
  bodyExample: { ids: [exampleId('person')] },
  bodyBytesMax: domainsBytesMax,
  success: {
    status: 200,
    description: 'The records are removed from the list.',
    schema: z.object({
      removed: z.int().nonnegative().describe('Records or domains that were removed.'),
      more: moreField,
    }),
  },
  repeatable: true,
  problems: ['saved_list_not_found'],
});

/** Lists the entries of a list. */
export const listListEntries = defineOperation({
  ...parts,
  id: 'list-list-entries',
  method: 'get',
  path: '/app/v1/saved-lists/:list_id/entries',
  summary: 'List the entries of a list',
  description:
    'The records of a list with all their fields, filtered and sorted. For companies, `text` matches part of the name, domain or description; `seniority` and `department` apply to people only.',
  params: listParams,
  query: z.strictObject({ ...pageOf, ...savedPeopleQuery }),
  success: {
    status: 200,
    description: 'A page of records.',
    schema: z
      .discriminatedUnion('kind', [
        z.object({
          kind: z.literal('people'),
          people: z.array(savedPerson),
          total: totalField,
          next_cursor: nextCursorField,
        }),
        z.object({
          kind: z.literal('companies'),
          companies: z.array(savedCompany),
          total: totalField,
          next_cursor: nextCursorField,
        }),
      ])
      .meta({ id: 'ListEntries' }),
  },
  repeatable: true,
  problems: ['saved_list_not_found', 'invalid_cursor'],
});

/** Lists the company domains of a list. */
export const listListDomains = defineOperation({
  ...parts,
  id: 'list-list-domains',
  method: 'get',
  path: '/app/v1/saved-lists/:list_id/domains',
  summary: 'List the domains of a list',
  description:
    'The company domains of a list of companies, in alphabetical order. A list of people has none.',
  params: listParams,
  query: z.strictObject({
    ...pageOf,
    text: oneLineText(limits.filterValueCharactersMax).optional().describe('Part of the domain.'),
  }),
  success: {
    status: 200,
    description: 'A page of domains.',
    schema: z
      .object({ domains: z.array(z.string()), total: totalField, next_cursor: nextCursorField })
      .meta({ id: 'ListDomains' }),
  },
  repeatable: true,
  problems: ['saved_list_not_found', 'invalid_cursor'],
});
